import { connect } from 'node:net'

/** What came back for bytes sent as they are, until the other side closed or fell silent. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
  /** Everything, for several answers on one connection. */
  text: string
  /** True when the instance closed the connection. */
  closed: boolean
}

/** Sends bytes as they are, which no HTTP client would. Waits at most `ms` for the end. */
export function sendRaw(
  url: string,
  bytes: string | Buffer | (string | Buffer)[],
  ms = 3000,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const received: Buffer[] = []
    const finish = (closed: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      const text = Buffer.concat(received).toString('latin1')
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const [first = '', ...lines] = head.split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
      )
      resolve({
        status: Number(first.split(' ')[1] ?? 0),
        headers,
        body: rest.join('\r\n\r\n'),
        text,
        closed,
      })
    }
    const timer = setTimeout(() => finish(false), ms)
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('close', () => finish(true))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    for (const part of [bytes].flat()) socket.write(part)
  })
}
