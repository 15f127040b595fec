import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { hookClient } from './push-hooks.ts'
import type { Program } from '../process/spawner/remote-child.ts'
import type { Git } from '../types.ts'

/** The change of one ref in a push. An id of zeros means that the ref does not exist. */
export interface PushUpdate {
  readonly ref: string
  readonly old: string
  readonly new: string
}

/** The report of a hook. */
export interface HookCall {
  readonly hook: 'pre' | 'post'
  readonly updates: readonly PushUpdate[]
  readonly options: readonly string[]
  /** Environment variables with which git commands can read the objects of the push before it is accepted. */
  readonly env: Readonly<Record<string, string>>
}

export interface HookAnswer {
  readonly ok: boolean
  /** Lines for the user's terminal. */
  readonly messages: readonly string[]
}

type OnCall = (call: HookCall) => Promise<HookAnswer>

/** The connection between the hooks of one push and this process. */
export interface PushChannel {
  /** The number of file descriptors that the git process needs. */
  readonly descriptors: 3 | 5
  readonly env: Readonly<Record<string, string>>
  /** Starts listening. Call it when the process runs. */
  connect(child: Program, onCall: OnCall): void
  close(): Promise<void>
}

const MAX_CALL_BYTES = 64 * 1024 * 1024
const MAX_MESSAGE_LINES = 200

/** A channel with two file descriptors that the hooks inherit, for all systems but Windows. */
export function descriptorChannel(): PushChannel {
  return {
    descriptors: 5,
    env: {},
    connect: (child, onCall) => listen(child.stdio[3] as Readable, child.stdio[4] as Writable, null, onCall),
    close: async () => {},
  }
}

/** A channel with a named pipe (a socket on other systems) that a small program connects to; see push-hooks.ts. */
export async function pipeChannel(git: Git, hooksFolder: string): Promise<PushChannel> {
  const token = randomBytes(24).toString('hex')
  const folder = process.platform === 'win32' ? null : await mkdtemp(path.join(git.home, 'push-'))
  const address =
    folder === null ? `\\\\.\\pipe\\forge-${randomBytes(12).toString('hex')}` : path.join(folder, 'hook')
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
  return {
    descriptors: 3,
    env: {
      FORGE_HOOK_PIPE: address,
      FORGE_HOOK_TOKEN: token,
      FORGE_HOOK_NODE: process.execPath,
      FORGE_HOOK_CLIENT: hookClient(hooksFolder),
      ELECTRON_RUN_AS_NODE: '1',
    },
    connect: (_, onCall) => void server.on('connection', (socket) => listen(socket, socket, token, onCall)),
    close: async () => {
      await closeServer(server)
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Reads the reports of hooks in order and answers them. Invalid input closes the connection, which refuses the push. */
function listen(incoming: Readable, outgoing: Writable, token: string | null, onCall: OnCall): void {
  let rest = ''
  let size = 0
  let lines: string[] = []
  const disconnect = () => outgoing.destroy()
  incoming.setEncoding('utf8')
  incoming.on('error', disconnect)
  outgoing.on('error', () => {})
  incoming.on('data', (chunk: string) => {
    size += chunk.length
    if (size > MAX_CALL_BYTES) return disconnect()
    const received = (rest + chunk).split('\n')
    rest = received.pop()!
    for (const line of received) {
      if (line !== 'end') {
        lines.push(line)
        continue
      }
      const call = parseCall(lines, token)
      lines = []
      size = 0
      if (call === null) return disconnect()
      void onCall(call).then((answer) => outgoing.write(format(answer)), disconnect)
    }
  })
}

function parseCall(lines: readonly string[], token: string | null): HookCall | null {
  const updates: PushUpdate[] = []
  const options: string[] = []
  const env: Record<string, string> = {}
  let hook: string | undefined
  let sentToken: string | undefined
  for (const line of lines) {
    const [, word, text = ''] = /^(\w+) (.*)$/s.exec(line) ?? []
    const [, old, newId, ref] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (refs\/.+)$/s.exec(line) ?? []
    if (old !== undefined && newId !== undefined && ref !== undefined) updates.push({ ref, old, new: newId })
    else if (word === 'hook') hook = text
    else if (word === 'token') sentToken = text
    else if (word === 'option') options.push(text)
    else if (word === 'env') addVariable(env, text)
    else return null
  }
  if (token !== null && !isSame(sentToken ?? '', token)) return null
  if ((hook !== 'pre' && hook !== 'post') || updates.length === 0) return null
  return { hook, updates, options, env }
}

function addVariable(env: Record<string, string>, text: string): void {
  const equals = text.indexOf('=')
  if (text.length > equals + 1) env[text.slice(0, equals)] = text.slice(equals + 1)
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function format(answer: HookAnswer): string {
  const lines = answer.messages.flatMap((message) => message.split('\n')).slice(0, MAX_MESSAGE_LINES)
  // Messages contain names of branches and files, which must not send control characters to a terminal.
  const safe = lines.map(
    (line) => `message ${line.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, 2000)}\n`,
  )
  return `${safe.join('')}${answer.ok ? 'ok' : 'reject'}\n`
}
