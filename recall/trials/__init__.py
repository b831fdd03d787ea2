"""Documents and questions made, or typeset from public text, to measure recall on: every answer's page is known."""
