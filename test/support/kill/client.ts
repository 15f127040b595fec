/** The current instance, and the data that the load works with. */
export interface Target {
  readonly url: string
  readonly token: string
  /** The project that most of the load writes to. */
  readonly project: number
  /** Token of a runner. */
  readonly runner: string
  /** An archive of a project. */
  readonly archive: Blob
  /** An archive of a group with a group below it, labels and a wiki. */
  readonly groupArchive: Blob
  /** Address of a repository outside of the instance, with a branch `main`. */
  readonly source: string
  /** Creates an empty repository outside of the instance. `tip` returns the commit of its branch `main`. */
  readonly elsewhere: () => Promise<{ readonly url: string; readonly tip: () => string | undefined }>
  /** Records answers that no client may ever get. */
  readonly complain: (sentence: string) => void
}

export interface Answer {
  readonly status: number
  // What comes back is looked at field by field.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any
  readonly bytes: Buffer
}

type Body = FormData | Uint8Array<ArrayBuffer> | object

/** One request. Rejects when the instance ends before it has answered. */
export async function ask(
  { url, token, complain }: Pick<Target, 'url' | 'token' | 'complain'>,
  method: string,
  path: string,
  body?: Body,
  more: Record<string, string> = {},
): Promise<Answer> {
  const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof Uint8Array)
  const headers = {
    ...(path.startsWith('http') ? {} : { 'private-token': token }),
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...more,
  }
  const sent = isJson ? JSON.stringify(body) : (body as FormData | Uint8Array<ArrayBuffer> | undefined)
  const target = path.startsWith('http') ? path : `${url}${path.startsWith('/-/') ? '' : '/api/v4'}${path}`
  const answer = await fetch(target, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status >= 500) complain(`${method} ${path}: ${answer.status} ${bytes.toString().slice(0, 200)}`)
  const isText = answer.headers.get('content-type')?.includes('json') === true
  return {
    status: answer.status,
    body: isText && bytes.length > 0 ? JSON.parse(bytes.toString()) : null,
    bytes,
  }
}

/** Repeats a request until its answer is accepted; rejects after a minute. */
export async function until<T>(ask: () => Promise<T | undefined>, what: string): Promise<T> {
  const end = Date.now() + 60_000
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} does not come.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
