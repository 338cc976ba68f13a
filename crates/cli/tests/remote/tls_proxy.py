"""Speaks TLS in front of a server of this machine: tls_proxy.py PORT CERTIFICATE KEY prints its own port."""

import asyncio
import ssl
import sys
from asyncio import StreamReader, StreamWriter


async def carry(reader: StreamReader, writer: StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.close()


async def serve(port: int, certificate: str, key: str) -> None:
    async def connected(reader: StreamReader, writer: StreamWriter) -> None:
        answers, requests = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, requests), carry(answers, writer), return_exceptions=True)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve(int(sys.argv[1]), sys.argv[2], sys.argv[3]))
