import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { once } from 'node:events'

const root = join(import.meta.dirname, '..', '..', '..')

/** Token of the administrator of every measured instance. */
export const TOKEN = 'bench-token-of-root'

/** A started instance or baseline server. */
export interface Running {
  url: string
  pid: number
  /** The time from the start of the process to the first 200 of `/-/readiness`, in ms. */
  startMs: number
  stop(): Promise<void>
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/-/readiness`).catch(() => undefined)
    if (answer?.status === 200) return
  }
  throw new Error('The instance ended before it was ready.')
}

/** Starts a Node program that prints `… at <url>` when it is listening. */
export async function startProgram(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Running> {
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const match = /at (http:\S+)/.exec(text)
      if (match) resolve(match[1]!)
    })
    child.once('exit', () => reject(new Error(`A program ended too early: ${args.join(' ')}`)))
  })
  await untilReady(url, child)
  const startMs = performance.now() - start
  return {
    url,
    pid: child.pid!,
    startMs,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Starts the built instance on a data folder, headless. */
export function startInstance(dataDir: string): Promise<Running> {
  const cli = join(root, 'dist', 'server', 'cli.js')
  return startProgram([cli, 'serve', '--data-dir', dataDir, '--port', '0'], {
    DESKFORGE_ROOT_PASSWORD: 'a bench under the oak',
    DESKFORGE_ROOT_TOKEN: TOKEN,
  })
}

/** Sends a request as the administrator. */
export async function call(
  url: string,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/api/v4${path}`, {
    ...init,
    headers: {
      'private-token': TOKEN,
      'content-type': 'application/json',
      ...(init.headers as Record<string, string>),
    },
  })
  const text = await answer.text()
  if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 200)}`)
  return { status: answer.status, text }
}
