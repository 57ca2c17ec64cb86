"""`gainful trec_eval`: what trec_eval computes and prints, step by step."""
