"""Serving engines, one a file: an OpenAI-compatible server, LMCache's server, vLLM's cache policy, SGLang's storage."""
