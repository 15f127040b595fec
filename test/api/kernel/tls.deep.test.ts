import { copyFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls, type PeerCertificate } from 'node:tls'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { InstanceClient } from '../../../server/domains/ci/built_in_runner/client.ts'
import { startServer, StartupError, type StartOptions } from '../../../server/index.ts'
import { issued, openssl, selfSigned, type Certificate } from '../../support/certificates.ts'
import { prepareDataDir } from '../../support/empty-database.ts'
import { client as git, tempDir } from '../../support/git.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { world } from '../../support/world.ts'

const folder = tempDir()
const path = (name: string): string => join(folder, name)
/** Replaces the files of a certificate by those of another one, as a tool that renews certificates does. */
function replace(files: Certificate, by: Certificate): void {
  for (const name of ['tlsKey', 'tlsCert'] as const) {
    copyFileSync(by[name], `${files[name]}.new`)
    renameSync(`${files[name]}.new`, files[name])
  }
}

const OUTSIDE = 'https://forge.example.com'
const served = selfSigned(folder, 'served')
const here = await world({ ...served, connections: { certificateMs: 20 } })
const { port } = new URL(here.url)
const certificate = () => here.ctx().config.ownCertificate!

interface RequestParts {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: object
  readonly url?: string
}

interface ReceivedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Sends a request as a program that trusts the certificate. */
function ask(
  target: string,
  { method = 'GET', headers = {}, body, url = here.url }: RequestParts = {},
): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(target, url),
      {
        method,
        agent: false,
        ca: readFileSync(served.tlsCert),
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) =>
        void text(answer).then((body) => {
          const isJson = /json/.test(answer.headers['content-type'] ?? '')
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: isJson && body !== '' ? JSON.parse(body) : body,
          })
        }, reject),
    )
    sent.on('error', reject).end(body && JSON.stringify(body))
  })
}

const asRoot = { 'private-token': here.root.token }
const post = (target: string, body: object): Promise<ReceivedAnswer> =>
  ask(`/api/v4${target}`, { method: 'POST', headers: asRoot, body })

/** Returns the current certificate of the instance. */
function servedCertificate(): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate())
      socket.destroy()
    }).on('error', reject)
  })
}

const commonName = async (): Promise<unknown> => (await servedCertificate()).subject.CN

async function projectWith(files: Record<string, string>) {
  const project = (await post('/projects', { name: `p${Math.random().toString(36).slice(2)}` })).body
  const actions = Object.entries(files).map(([file_path, content]) => ({
    action: 'create',
    file_path,
    content,
  }))
  const made = await post(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'A first commit',
    actions,
  })
  expect(made.status).toBe(201)
  return project
}

describe('an instance with a certificate', () => {
  it('serves HTTPS, and uses https in every address', async () => {
    expect(here.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const project = await projectWith({ 'README.md': 'Read me.' })
    expect([project.web_url, project.http_url_to_repo]).toEqual([
      `${here.url}/root/${project.path}`,
      `${here.url}/root/${project.path}.git`,
    ])
  })

  it('refuses TLS before 1.2', async () => {
    const refused = (version: 'TLSv1.1' | 'TLSv1.2') =>
      new Promise((resolve) => {
        const socket = connectTls({
          host: '127.0.0.1',
          port: Number(port),
          rejectUnauthorized: false,
          minVersion: 'TLSv1',
          maxVersion: version,
          ciphers: 'DEFAULT@SECLEVEL=0',
        })
        socket
          .on('error', () => resolve(true))
          .on('secureConnect', () => {
            socket.destroy()
            resolve(false)
          })
      })
    expect([await refused('TLSv1.1'), await refused('TLSv1.2')]).toEqual([true, false])
  })

  it('marks the session cookie as secure, and sends HSTS', async () => {
    const outside = await world({ ...served, url: OUTSIDE })
    const signIn = (host: string) =>
      ask('/-/session', {
        method: 'POST',
        headers: { host },
        body: { login: 'root', password: here.root.password },
        url: outside.ctx().config.ownUrl,
      })
    const answer = await signIn('forge.example.com')
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([201, 'max-age=31536000'])
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure$/)
    // Other ports of a loopback name may speak plain HTTP.
    expect((await signIn('localhost')).headers['strict-transport-security']).toBeUndefined()
    expect(outside.ctx().config.ownCertificate?.origins).toEqual([outside.ctx().config.ownUrl, OUTSIDE])
  })

  it('serves git to clients that trust the certificate, and to no others', async () => {
    const project = await projectWith({ 'README.md': 'Read me.' })
    const url = project.http_url_to_repo.replace('//', `//root:${here.root.token}@`)
    const clone = (name: string, ...options: string[]) => git(folder, [...options, 'clone', '-q', url, name])
    expect(await clone('unknown')).toMatchObject({ code: 128, stderr: expect.stringMatching(/certificate/i) })
    const known = ['-c', `http.sslCAInfo=${served.tlsCert}`]
    expect(await clone('known', ...known)).toMatchObject({ code: 0 })
    writeFileSync(join(path('known'), 'more.txt'), 'x'.repeat(300_000))
    expect(await git(path('known'), ['add', '.'])).toMatchObject({ code: 0 })
    expect(await git(path('known'), ['commit', '-qm', 'More'])).toMatchObject({ code: 0 })
    expect(await git(path('known'), [...known, 'push', '-q', 'origin', 'HEAD'])).toMatchObject({ code: 0 })
  })

  it('closes connections that speak plain HTTP', async () => {
    const answer = await sendRaw(here.url, 'GET /-/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect([answer.closed, answer.text]).toEqual([true, ''])
    expect((await ask('/-/health')).status).toBe(200)
  })

  it('closes connections with an unfinished handshake', async () => {
    const hasty = await world({ ...served, connections: { handshakeMs: 50 } })
    const socket = connect(Number(new URL(hasty.url).port), '127.0.0.1')
    socket.on('error', () => undefined).resume()
    await new Promise((resolve) => void socket.once('close', resolve))
  })

  it('returns 400 for an invalid request over TLS', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connectTls({ host: '127.0.0.1', port: Number(port), ca: readFileSync(served.tlsCert) })
      socket.on('secureConnect', () => socket.write('nonsense\r\n\r\n'))
      text(socket).then(resolve, reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('returns 408 for bodies that never arrive, and accepts slow ones', async () => {
    const limits = { silentMs: 1000, windowMs: 500, minBytesPerSecond: 20, checkMs: 50 }
    const strict = await world({ ...served, connections: limits })
    const body = JSON.stringify({ name: 'Slow', description: 'x'.repeat(60) })
    const drip = (pieces: string[]) =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...asRoot, 'content-type': 'application/json', 'content-length': body.length }
        const options = { method: 'POST', agent: false, ca: readFileSync(served.tlsCert), headers }
        const sent = request(`${strict.url}/api/v4/projects`, options, (answer) => {
          clearInterval(timer)
          answer.resume()
          resolve(answer.statusCode ?? 0)
        }).on('error', reject)
        const timer = setInterval(() => {
          const next = pieces.shift()
          if (next !== undefined) sent.write(next)
        }, 100)
      })
    expect(await drip(body.match(/[^]{1,6}/g) ?? [])).toBe(201)
    expect(await drip([body.slice(0, 10)])).toBe(408)
  })

  it('stops during a handshake', async () => {
    const other = await world({ ...served, connections: { handshakeMs: 600_000 } })
    const socket = connect(Number(new URL(other.url).port), '127.0.0.1')
    const closed = new Promise((resolve) => void socket.once('close', resolve))
    socket.on('error', () => undefined).resume()
    await new Promise((resolve) => void socket.once('connect', resolve))
    await other.instance.close()
    await closed
  })
})

describe("the instance's own clients", () => {
  it('accept its certificate, and no other', async () => {
    const health = { method: 'GET', path: '/version', headers: asRoot } as const
    const own = new InstanceClient(here.url, certificate())
    expect((await own.call(health)).status).toBe(200)
    const other = selfSigned(folder, 'other')
    const wrong = new InstanceClient(here.url, { pem: readFileSync(other.tlsCert, 'utf8') })
    await expect(wrong.call(health)).rejects.toThrow(/certificate/)
    own.close()
    wrong.close()
  })

  it('accept a certificate with an unknown issuer and other names', async () => {
    const instance = await world(issued(folder, 'leaf'))
    const { ownUrl, ownCertificate } = instance.ctx().config
    const client = new InstanceClient(ownUrl, ownCertificate)
    const answer = await client.call({ method: 'GET', path: '/version', headers: asRoot })
    expect(answer.status).toBe(200)
    client.close()
    expect(ownCertificate?.warning).toBeUndefined()
    const elsewhere = await world(selfSigned(folder, 'elsewhere', 'subjectAltName=DNS:elsewhere.example.com'))
    const { ownCertificate: odd, ownUrl: url } = elsewhere.ctx().config
    const stranger = new InstanceClient(url, odd)
    expect((await stranger.call({ method: 'GET', path: '/version', headers: asRoot })).status).toBe(200)
    stranger.close()
    expect(odd?.warning).toBe(
      'The certificate is not for 127.0.0.1; name the address that it is for with --url.',
    )
  })

  it('fetch from and push to its own address', async () => {
    const source = await projectWith({ 'README.md': 'Read me.' })
    const made = await post('/projects', {
      name: 'Copied',
      import_url: source.http_url_to_repo.replace('//', `//root:${here.root.token}@`),
    })
    expect(made.status).toBe(201)
    await here.drain()
    const copied = await ask(`/api/v4/projects/${made.body.id}`, { headers: asRoot })
    expect(copied.body).toMatchObject({ import_status: 'finished', import_error: null, empty_repo: false })
    const init = { headers: asRoot, purpose: 'repository' } as const
    expect((await here.ctx().outbound.fetch(`${here.url}/api/v4/version`, init)).status).toBe(200)
  })

  it('run jobs with the code of a project, releases and files', async () => {
    const config = `
run:
  only: [branches]
  script:
    - cat README.md
    - echo "server $CI_SERVER_URL"
    - git -c http.sslCAInfo="$CI_SERVER_TLS_CA_FILE" ls-remote origin > kept.txt
  release: { tag_name: v1, description: One }
  artifacts: { paths: [kept.txt] }
`
    await ask('/-/built_in_runner', { method: 'PUT', headers: asRoot, body: { enabled: true } })
    const project = await projectWith({ 'README.md': 'Read me.\n', '.gitlab-ci.yml': config })
    const job = async () =>
      (await ask(`/api/v4/projects/${project.id}/jobs`, { headers: asRoot })).body[0] ?? {}
    await vi.waitFor(async () => expect((await job()).status).toMatch(/success|failed/), { timeout: 60_000 })
    const { id, status } = await job()
    const log = (await ask(`/api/v4/projects/${project.id}/jobs/${id}/trace`, { headers: asRoot })).body
    expect(status, log).toBe('success')
    expect(log).toContain('Read me.\n')
    expect(log).toContain(`server ${here.url}\n`)
    const release = await ask(`/api/v4/projects/${project.id}/releases/v1`, { headers: asRoot })
    expect(release.body).toMatchObject({ description: 'One' })
    const artifact = `/api/v4/projects/${project.id}/jobs/${id}/artifacts/kept.txt`
    expect((await ask(artifact, { headers: asRoot })).body).toMatch(/refs\/heads\/main/)
  })
})

describe('the files of a certificate', () => {
  const files = { tlsCert: path('kept.crt'), tlsKey: path('kept.key') }

  it('are loaded again when they change', async () => {
    replace(files, served)
    expect(await commonName()).toBe('served')
    replace(served, selfSigned(folder, 'renewed'))
    await expect.poll(() => commonName()).toBe('renewed')
    expect((await ask('/-/health')).status).toBe(200)
    expect(readFileSync(certificate().file, 'utf8')).toBe(readFileSync(served.tlsCert, 'utf8'))
    const client = new InstanceClient(here.url, certificate())
    expect((await client.call({ method: 'GET', path: '/version', headers: asRoot })).status).toBe(200)
    client.close()
  })

  it('are read again on request; an invalid file changes nothing and is logged once', async () => {
    const quiet = await world({ ...files, logLevel: 'warn', connections: { certificateMs: 600_000 } })
    const { ownCertificate, ownUrl } = quiet.ctx().config
    const before = ownCertificate!.pem
    const log = (): string => {
      quiet.ctx().log.flush()
      const file = join(quiet.dataDir, 'logs/deskforge.log')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    }
    writeFileSync(files.tlsCert, 'nothing')
    ownCertificate!.reload()
    expect(ownCertificate!.pem).toBe(before)
    const sentence = `The file ${files.tlsCert} contains no PEM certificate. The previous certificate stays in use.`
    await expect.poll(() => log().split(sentence)).toHaveLength(2)
    replace(files, selfSigned(folder, 'third'))
    ownCertificate!.reload()
    expect(ownCertificate!.pem).not.toBe(before)
    const client = new InstanceClient(ownUrl, ownCertificate)
    expect((await client.call({ method: 'GET', path: '/version', headers: asRoot })).status).toBe(200)
    client.close()
  })

  it('are copied for programs of the same user only', () => {
    expect(statSync(certificate().file).mode & 0o777).toBe(0o600)
  })
})

describe('a start', () => {
  const good = selfSigned(folder, 'good')
  const start = (options: Partial<StartOptions>) => {
    const dataDir = tempDir()
    prepareDataDir(dataDir)
    return startServer({ dataDir, port: 0, temporary: true, logLevel: 'silent', ...options })
  }
  const at = (iso: string) => ({ now: () => Date.parse(iso) })
  const sealed = path('sealed.key')
  openssl('pkcs8', '-topk8', '-in', good.tlsKey, '-out', sealed, '-passout', 'pass:secret')
  openssl('x509', '-in', good.tlsCert, '-outform', 'DER', '-out', path('good.der'))
  const { tlsCert, tlsKey } = good

  it.each<[string, Partial<StartOptions>, string]>([
    ['a certificate alone', { tlsCert }, '--tls-cert needs --tls-key, the file of the private key.'],
    ['a key alone', { tlsKey }, '--tls-key needs --tls-cert, the file of the certificate.'],
    [
      'no file',
      { tlsCert: path('none'), tlsKey },
      `The certificate ${path('none')} cannot be read: the file does not exist.`,
    ],
    ['a folder', { tlsCert, tlsKey: folder }, `The private key ${folder} cannot be read: it is a folder.`],
    [
      'DER',
      { tlsCert: path('good.der'), tlsKey },
      `The file ${path('good.der')} contains no PEM certificate.`,
    ],
    [
      'a key instead of a certificate',
      { tlsCert: tlsKey, tlsKey },
      `The file ${tlsKey} contains no PEM certificate.`,
    ],
    ['no key', { tlsCert, tlsKey: tlsCert }, `The file ${tlsCert} contains no PEM private key.`],
    [
      'a sealed key',
      { tlsCert, tlsKey: sealed },
      `The private key ${sealed} is protected by a passphrase; save it without one.`,
    ],
    [
      'a foreign key',
      { tlsCert, tlsKey: served.tlsKey },
      `The private key ${served.tlsKey} does not belong to the certificate ${tlsCert}.`,
    ],
  ])('with %s ends with one sentence', async (_, options, sentence) => {
    await expect(start(options)).rejects.toEqual(new StartupError(sentence, 2))
  })

  it('outside the validity of the certificate fails with one sentence', async () => {
    await expect(start({ ...good, clock: at('2001-01-01') })).rejects.toThrow(
      /^The certificate \S+ is not valid before \d{4}-\d\d-\d\d\.$/,
    )
    const late = start({ ...good, clock: at('2101-01-01') })
    await expect(late).rejects.toMatchObject({ exitCode: 2 })
    await expect(late).rejects.toThrow(/^The certificate \S+ expired on \d{4}-\d\d-\d\d\.$/)
  })

  it('warns about a certificate that expires soon', async () => {
    const instance = await start({ ...good, clock: at(new Date(Date.now() + 20 * 86_400_000).toISOString()) })
    onTestFinished(() => instance.close())
    expect(instance.context().config.ownCertificate?.warning).toMatch(/^The certificate expires on \S+\.$/)
  })
})
