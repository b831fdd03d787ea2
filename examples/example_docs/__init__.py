"""The example documents, one module each: fictional companies, people and offices throughout."""
