"""What is small enough to stay in memory: summary vectors, the document index, trees of documents."""
