"""What could documents that nobody judged change, and which should be judged first?"""
