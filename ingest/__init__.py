"""From PDF to document, blocks, embeddings and the cold store."""
