"""Writes the traces of this folder with the libraries as they are released today.

`python tests/traces/write_traces.py` installs them into a temporary environment, which takes
minutes, and prints their versions for README.md.
"""

import subprocess
import sys
import tempfile
import venv
from importlib.metadata import version
from pathlib import Path

PACKAGES = {
    "langchain": ("langchain-core", "openinference-instrumentation-langchain"),
    "llama_index": ("llama-index-core", "openinference-instrumentation-llama-index"),
    "haystack": ("haystack-ai", "openinference-instrumentation-haystack"),
}
SDK = "opentelemetry-sdk"
TEXTS = {
    "d1": "Leek soup with potatoes.",
    "d2": "Pumpkin soup with ginger.",
    "d3": "Tomato salad.",
}
FOUND = {"leek soup": ["d1", "d3"], "pumpkin soup": ["d2", "d1", "d3"], "beer": []}


def instrument_langchain(provider):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import tool
    from openinference.instrumentation.langchain import LangChainInstrumentor

    class Soups(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):  # noqa: ARG002  (LangChain calls it so)
            return [
                Document(id=doc, page_content=TEXTS[doc], metadata={"source": f"{doc}.txt"})
                for doc in FOUND[query]
            ]

    @tool
    def kb_search(query: str) -> list[dict[str, str]]:
        """Find soups."""
        return [{"id": doc} for doc in FOUND[query]]

    def call_tool(query):  # as an agent does
        call = {"type": "tool_call", "id": "c1", "name": "kb_search", "args": {"query": query}}
        return kb_search.invoke(call)

    LangChainInstrumentor().instrument(tracer_provider=provider)
    return Soups().invoke, call_tool


def instrument_llama_index(provider):
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.core.tools import FunctionTool
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    class Soups(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [
                NodeWithScore(node=TextNode(id_=doc, text=TEXTS[doc]), score=1 / rank)
                for rank, doc in enumerate(FOUND[query_bundle.query_str], start=1)
            ]

    def find_soups(query: str) -> list[dict[str, str]]:
        """Find soups."""
        return [{"id": doc} for doc in FOUND[query]]

    LlamaIndexInstrumentor().instrument(tracer_provider=provider)
    tool = FunctionTool.from_defaults(find_soups, name="kb_search")
    return Soups().retrieve, lambda query: tool.call(query=query)


def instrument_haystack(provider):
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from openinference.instrumentation.haystack import HaystackInstrumentor

    store = InMemoryDocumentStore()
    store.write_documents([Document(id=doc, content=text) for doc, text in TEXTS.items()])
    HaystackInstrumentor().instrument(tracer_provider=provider)
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    return lambda query: pipeline.run({"retriever": {"query": query}}), None


def write_trace(library, folder):
    """Three searches and a call of a tool, dumped by OpenTelemetry's console exporter."""
    from openinference.instrumentation import using_session
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    provider = TracerProvider()
    retrieve, call_tool = globals()[f"instrument_{library}"](provider)
    searches = [("s1", retrieve, "leek soup"), ("s1", retrieve, "pumpkin soup")]
    searches += [("s2", retrieve, "beer")]
    searches += [("s3", call_tool, "leek soup")] if call_tool else []
    with (folder / f"{library}.json").open("w", encoding="utf-8") as file:
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=file)))
        for session, search, query in searches:
            with using_session(session):
                search(query)
    versions = [f"{name} {version(name)}" for name in (*PACKAGES[library], SDK)]
    sys.stdout.write(f"{library}: {', '.join(versions)}\n")


def install_and_write(folder):
    with tempfile.TemporaryDirectory() as environment:
        venv.create(environment, with_pip=True)
        python = Path(environment) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        names = [name for packages in PACKAGES.values() for name in packages]
        subprocess.run([python, "-m", "pip", "install", "--quiet", SDK, *names], check=True)
        for library in PACKAGES:  # each in a process, as they instrument what all share
            subprocess.run([python, __file__, library, folder], check=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        write_trace(sys.argv[1], Path(sys.argv[2]))
    else:
        install_and_write(Path(__file__).parent)
