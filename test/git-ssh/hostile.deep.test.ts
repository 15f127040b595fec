import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Client as SshClient, ClientChannel, ConnectConfig } from 'ssh2'
import { afterAll, describe, expect, it } from 'vitest'

import { Attempts } from '../../server/lib/attempts.ts'
import { sshService } from '../../server/domains/repository/ssh/sessions.ts'
import { listenForSsh, type SshListener } from '../../server/ssh/server.ts'
import { lineOf } from '../api/users/keys/samples.ts'
import { fill, onDisk } from '../api/repository/fill.ts'
import { shell } from '../support/git.ts'
import { world } from '../support/world.ts'

// The package is CommonJS, and some loaders do not find its named exports.
const { default: ssh2 } = (await import('ssh2')) as unknown as { default: typeof import('ssh2') }

const instance = await world()
const { as, make } = instance
const owner = make.user({ username: 'owner' })
const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const line = lineOf(pair.publicKey)
const privateKey = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
await as(owner).post('/user/keys', { title: 'Own', key: line })
const project = await make.project({ owner })
const [first] = fill(instance, project, [{ files: { a: '1' } }])

const folder = mkdtempSync(join(tmpdir(), 'ssh-listener-'))
const listeners: SshListener[] = []
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.close()))
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Starts an SSH listener for the instance with the given time limits. It has its own rate limits, at a fixed time so that
 * the counted minute does not end.
 */
async function startListener(times: { signInMs?: number; idleMs?: number } = {}): Promise<SshListener> {
  const limits = { attempts: new Attempts(), now: instance.ctx().now }
  const listener = await listenForSsh({ host: '127.0.0.1', port: 0, keyFolder: folder })
  listeners.push(listener)
  listener.open({ ...sshService((actor) => ({ ...instance.ctx(), ...limits, actor }), []), ...times })
  return listener
}
const normalListener = await startListener()

function openSocket(port: number): Socket {
  // A socket emits 'close' only after its data was read.
  return connect(port, '127.0.0.1')
    .on('error', () => {})
    .resume()
}

/** Tries to sign in. Returns the client, whether it succeeded, and the number of attempts. */
async function signIn(
  config: ConnectConfig,
  port = normalListener.port,
): Promise<{ client: SshClient; signedIn: boolean; tries: number }> {
  const client = new ssh2.Client()
  let tries = 0
  const signedIn = await new Promise<boolean>((resolve) => {
    client
      .on('ready', () => resolve(true))
      .on('error', () => resolve(false))
      .on('close', () => resolve(false))
    const { authHandler } = config
    client.connect({
      host: '127.0.0.1',
      port,
      username: 'git',
      ...config,
      ...(typeof authHandler === 'function'
        ? {
            authHandler: (left, partial, next) => {
              tries++
              return authHandler(left, partial, next)
            },
          }
        : {}),
    })
  })
  return { client, signedIn, tries }
}

function exec(client: SshClient, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel))),
  )
}

describe('a hostile client', () => {
  it('is disconnected if it sends nothing or invalid data', async () => {
    const listener = await startListener({ signInMs: 100 })
    await once(openSocket(listener.port), 'close')
    const slow = openSocket(listener.port)
    slow.write('SSH-2.0-slow\r\n')
    await once(slow, 'close')
    const nonsense = openSocket(normalListener.port)
    nonsense.write(`GET / HTTP/1.1\r\n\r\n${'x'.repeat(100_000)}`)
    await once(nonsense, 'close')
    const half = openSocket(normalListener.port)
    half.write('SSH-2.0-half\r\n')
    half.write(Buffer.alloc(50_000, 255))
    await once(half, 'close')
    const { client, signedIn } = await signIn({ privateKey })
    expect(signedIn).toBe(true)
    client.end()
  })

  it('cannot use all connections of the server', async () => {
    const own = await startListener()
    const idle = Array.from({ length: 25 }, () => openSocket(own.port))
    const outcomes = await Promise.all(
      idle.map((socket) =>
        Promise.race([
          once(socket, 'close').then(() => 'closed'),
          once(socket, 'data').then(() => 'greeted'),
        ]),
      ),
    )
    expect(outcomes.filter((how) => how === 'greeted')).toHaveLength(20)
    const allClosed = Promise.all(
      idle.filter((_, at) => outcomes[at] === 'greeted').map((socket) => once(socket, 'close')),
    )
    for (const socket of idle) socket.destroy()
    await allClosed
    await expect
      .poll(async () => {
        const { client, signedIn } = await signIn({ privateKey }, own.port)
        client.end()
        return signedIn
      })
      .toBe(true)
  })

  it('is disconnected if it sends nothing after sign-in', async () => {
    const listener = await startListener({ idleMs: 200 })
    const { client, signedIn } = await signIn({ privateKey }, listener.port)
    expect(signedIn).toBe(true)
    await once(client, 'close')
  })

  it('can sign in only with a key that it proves, and has a limited number of attempts', async () => {
    const password = await signIn({
      authHandler: (_left, _partial, next) => next({ type: 'password', username: 'git', password: 'x' }),
    })
    expect(password.signedIn).toBe(false)
    expect(password.tries).toBeLessThanOrEqual(21)
    expect(
      (await signIn({ authHandler: (_left, _partial, next) => next({ type: 'none', username: 'git' }) }))
        .signedIn,
    ).toBe(false)
    expect((await signIn({ privateKey, username: 'root' })).signedIn).toBe(false)
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    expect(
      (await signIn({ privateKey: other.export({ type: 'pkcs1', format: 'pem' }) as string })).signedIn,
    ).toBe(false)
  })

  it('is disconnected after many different keys and passwords, counted over all its connections', async () => {
    const own = await startListener()
    let guesses = 0
    const guess = () =>
      signIn(
        {
          authHandler: (_left, _partial, next) =>
            next({ type: 'password', username: 'git', password: `x${guesses++}` }),
        },
        own.port,
      )
    await guess()
    expect((await guess()).tries).toBeLessThan(20)
    expect((await guess()).tries).toBeLessThanOrEqual(2)
    // A known key can still sign in.
    expect((await signIn({ privateKey }, own.port)).signedIn).toBe(true)
  })

  it('cannot sign in with only the public key', async () => {
    const known = ssh2.utils.parseKey(line)
    if (known instanceof Error) throw known
    class Forger extends ssh2.BaseAgent {
      override getIdentities(done: (error: Error | undefined, keys?: never[]) => void): void {
        done(undefined, [known] as never[])
      }
      override sign(_key: never, _data: Buffer, _options: never, done?: never): void {
        ;(done as unknown as (error: undefined, signature: Buffer) => void)(undefined, Buffer.alloc(256, 7))
      }
    }
    expect((await signIn({ agent: new Forger() as never })).signedIn).toBe(false)
  })

  it('can open a few channels only, and only for git', async () => {
    const { client } = await signIn({ privateKey })
    const command = `git-upload-pack '${project.path_with_namespace}.git'`
    const open = await Promise.all(Array.from({ length: 10 }, () => exec(client, command)))
    await expect(exec(client, command)).rejects.toThrow(/open/i)
    for (const channel of open) channel.close()
    const refusals: ((done: (error: Error | undefined) => void) => void)[] = [
      (done) => void client.forwardOut('127.0.0.1', 1, '127.0.0.1', 22, done),
      (done) => void client.forwardIn('127.0.0.1', 0, done),
      (done) => void client.openssh_forwardOutStreamLocal('/var/run/docker.sock', done),
      (done) => void client.sftp(done),
      (done) => void client.subsys('netconf', done),
    ]
    for (const refusal of refusals) {
      const error = await new Promise<Error | undefined>((resolve) => refusal(resolve))
      expect(error).toBeInstanceOf(Error)
    }
    client.end()
  })

  it('that disconnects during a push changes nothing', async () => {
    const { client } = await signIn({ privateKey })
    const channel = await exec(client, `git-receive-pack '${project.path_with_namespace}.git'`)
    await once(channel, 'data')
    const update = `${first} ${'1'.repeat(40)} refs/heads/main\0 report-status`
    channel.write(`${(update.length + 4).toString(16).padStart(4, '0')}${update}0000PACK`)
    client.destroy()
    await once(client, 'close')
    const { db } = instance.ctx()
    await expect.poll(() => db.many('SELECT * FROM ref_journal')).toEqual([])
    expect(shell(onDisk(instance, project), ['rev-parse', 'main'])).toBe(first)
  })
})

describe('the SSH listener', () => {
  it('keeps its host keys', async () => {
    const seen: string[] = []
    for (const listener of [normalListener, await startListener()]) {
      const { client } = await signIn(
        { privateKey, hostHash: 'sha256', hostVerifier: (hash: string) => seen.push(hash) > 0 },
        listener.port,
      )
      client.end()
    }
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(seen[1])
  })

  it('reports that its port is in use', async () => {
    await expect(
      listenForSsh({ host: '127.0.0.1', port: normalListener.port, keyFolder: folder }),
    ).rejects.toThrow(/cannot be used for SSH: it is in use by another program/)
  })

  it('closes despite an open connection', async () => {
    const own = await startListener()
    const { client } = await signIn({ privateKey }, own.port)
    await exec(client, `git-upload-pack '${project.path_with_namespace}.git'`)
    const closed = once(client, 'close')
    await own.close()
    await closed
  })
})
