import { connect } from 'node:net'

/** The answer to raw bytes, up to the end of the connection or a timeout. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
  /** All received text, for several answers on one connection. */
  text: string
  /** True when the instance closed the connection. */
  closed: boolean
}

/** Sends raw bytes, which no HTTP client would send. Waits at most `ms` for the end. */
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
