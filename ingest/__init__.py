"""From PDF to document, blocks, embeddings and the cold store.

Importing this keeps onnxruntime from reporting to its maker: the wheels' telemetry looks up a server and keeps a store
of events in the user's cache. It must be off before the import, which opens that store; `import pymupdf` is such an
import, so the switch has no later place than here. A value that the user set is left alone.
"""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
