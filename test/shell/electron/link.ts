import { channelOf, channelPair, peer, type Peer } from './peer.ts'

// The application's end of the connection to the pages of its windows. A journey has the other end and the browser. Without a journey,
// as in the test of a packed application, the application starts a browser itself.

type Answer = (...args: never[]) => unknown

const answers: Record<string, Answer> = {}
let link: Promise<Peer> | undefined

/** Answers a call of the pages' end, or of the journey. */
export function answerTo(name: string, answer: Answer): void {
  answers[name] = answer
}

async function connect(): Promise<Peer> {
  if (process.send) return peer(channelOf(process), answers)
  const [{ servePages }, { openProfile }, { app }] = await Promise.all([
    import('./pages.ts'),
    import('./browser.ts'),
    import('./app.ts'),
  ])
  const [own, others] = channelPair()
  servePages(await openProfile(app.getPath('userData')), others)
  return peer(own, answers)
}

/** Calls a function of the pages' end. The first call connects it. */
export async function callPages<Value = void>(name: string, ...args: readonly unknown[]): Promise<Value> {
  link ??= connect()
  return (await link).call<Value>(name, ...args)
}

/** Closes all pages, if there were any. */
export async function endPages(): Promise<void> {
  if (link) await callPages('end').catch(() => undefined)
}

// A journey sends its first call before the application does.
if (process.send) link = connect()
