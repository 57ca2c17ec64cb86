"""Which queries changed most between two runs, and what moved in them?"""
