import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { greeting, type Report, type Request } from './protocol.ts'

/**
 * The helper: a small process that starts programs for a large one. Their input and output are connections to the large
 * process itself, so nothing passes through here.
 */
let path = ''
let secret = ''
const running = new Map<number, ChildProcess>()

function tell(report: Report): void {
  if (process.connected) process.send?.(report)
}

async function connection(run: number, descriptor: number): Promise<Socket> {
  const socket = connect({ path })
  // Nothing may be read here: it is meant for the program.
  socket.pause()
  socket.on('error', () => {})
  await once(socket, 'connect')
  await new Promise<void>((resolve) => socket.write(greeting(secret, run, descriptor), () => resolve()))
  return socket
}

async function start(request: Extract<Request, { run: number }>): Promise<void> {
  const { run, file, args, cwd, env } = request
  const stdio = await Promise.all([0, 1, 2].map((descriptor) => connection(run, descriptor)))
  const child = spawn(file, args, { cwd, env, stdio })
  child.once('error', (error) => {
    if (child.pid === undefined) tell({ failed: run, message: error.message })
  })
  child.once('exit', (code, signal) => {
    running.delete(run)
    tell({ exited: run, code, signal })
  })
  // The program has its own copies.
  for (const socket of stdio) socket.destroy()
  if (child.pid === undefined) return
  running.set(run, child)
  tell({ started: run, pid: child.pid })
}

process.on('message', (request: Request) => {
  if ('secret' in request) {
    path = request.path
    secret = request.secret
    tell({ ready: true })
  } else if ('kill' in request) running.get(request.kill)?.kill(request.signal)
  else start(request).catch((error: Error) => tell({ failed: request.run, message: error.message }))
})
// What runs goes on; its other end notices by itself that nobody listens.
process.on('disconnect', () => process.exit(0))
// A Ctrl+C at the terminal reaches the whole group; the large process decides what ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
