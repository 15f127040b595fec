import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeEach, expect, it } from 'vitest'

import { startServer } from '../../../server/index.ts'
import { world } from '../../support/world.ts'
import { archiveOf } from '../import_export/projects/archive-of.ts'

const archive = await archiveOf()

/** Requests that the other host received and does not answer. */
let waiting: { readonly url: string; readonly closed: Promise<void> }[] = []
let isHanging = true
/** The number of bytes of completed uploads. */
const uploads: number[] = []
const host = createServer((request, response) => void answer(request, response))
await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
const base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
afterAll(() => host.closeAllConnections())
afterAll(() => void host.close())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request
  const headers = { 'content-type': 'application/gzip', 'content-length': archive.length }
  if (method === 'HEAD') return void response.writeHead(200, headers).end()
  if (isHanging) {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    waiting.push({ url, closed })
    // Sends the beginning of an archive, and then nothing.
    if (method === 'GET') response.writeHead(200, headers).write(archive.subarray(0, 20))
    return
  }
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length
  if (method === 'PUT') uploads.push(bytes)
  if (method === 'GET') response.writeHead(200, headers).end(archive)
  else response.writeHead(200).end()
}

const arrived = (path: string) =>
  expect.poll(() => waiting.find(({ url }) => url.startsWith(path))).toBeDefined()
const connectionTo = (path: string): Promise<void> => waiting.find(({ url }) => url.startsWith(path))!.closed

const limits = {
  allow_local_requests_from_web_hooks_and_services: true,
  project_import_limit: 0,
  project_export_limit: 0,
}
const { as, root, make, ctx, drain, dataDir } = await world()
await as(root).put('/application/settings', limits)
beforeEach(() => {
  waiting = []
  isHanging = true
})

const filesIn = (...path: string[]): string[] =>
  readdirSync(join(dataDir, ...path), { recursive: true }) as string[]
/** Jobs that failed or will be retried. */
const unfinished = () =>
  ctx().db.many("SELECT name, state, error FROM jobs WHERE state <> 'done' AND attempts > 0")

it('the upload of an export stops when the project is deleted, and leaves no file', async () => {
  const project = await make.project({ with: 'readme' })
  await as(root).post(`/projects/${project.id}/export`, { upload: { url: `${base}/upload` } })
  await arrived('/upload')
  expect(filesIn('exports', 'projects')).toHaveLength(1)
  expect((await as(root).delete(`/projects/${project.id}`)).status).toBe(202)
  await connectionTo('/upload')
  await drain()
  expect(filesIn('exports', 'projects')).toEqual([])
  expect(unfinished()).toEqual([])
})

it('a download stops when the project is deleted, and leaves no file', async () => {
  const { body } = await as(root).post('/projects/remote-import', { url: `${base}/fetch`, path: 'gone' })
  await arrived('/fetch')
  expect((await as(root).delete(`/projects/${body.id}`)).status).toBe(202)
  await connectionTo('/fetch')
  await drain()
  expect(filesIn('imports')).toEqual([])
  expect(unfinished()).toEqual([])
})

it('the mirror of a deleted project stops', async () => {
  const project = await make.project({ with: 'readme' })
  const params = { url: `${base}/mirror.git`, enabled: true }
  const { body } = await as(root).post(`/projects/${project.id}/remote_mirrors`, params)
  await as(root).post(`/projects/${project.id}/remote_mirrors/${body.id}/sync`)
  await arrived('/mirror.git')
  expect((await as(root).delete(`/projects/${project.id}`)).status).toBe(202)
  await connectionTo('/mirror.git')
  await drain()
  expect(unfinished()).toEqual([])
})

it('long work ends when the instance stops, and continues at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  const options = {
    dataDir: folder,
    port: 0,
    logLevel: 'silent' as const,
    temporary: true,
    rootToken: root.token,
  }
  const first = await startServer(options)
  let url = first.url
  // oxlint-disable-next-line typescript/no-explicit-any
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { 'private-token': root.token, 'content-type': 'application/json' }
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    return (await fetch(`${url}/api/v4${path}`, init)).json()
  }
  await ask('PUT', '/application/settings', limits)
  const { id } = await ask('POST', '/projects', { name: 'p', initialize_with_readme: true })
  await ask('POST', `/projects/${id}/export`, { upload: { url: `${base}/upload` } })
  await ask('POST', '/projects/remote-import', { url: `${base}/fetch`, path: 'far' })
  await Promise.all([arrived('/upload'), arrived('/fetch')])
  const ends: string[] = []
  const closings = ['/upload', '/fetch'].map((path) => connectionTo(path).then(() => ends.push(path)))
  const closed = first.close().then(() => ends.push('closed'))
  await Promise.all([...closings, closed])
  expect(ends.at(-1)).toBe('closed')

  isHanging = false
  const second = await startServer(options)
  url = second.url
  await second.drain()
  expect(uploads).toEqual([expect.any(Number)])
  expect(await ask('GET', '/projects/root%2Ffar/import')).toMatchObject({ import_status: 'finished' })
  await second.close()
  rmSync(folder, { recursive: true, force: true })
})
