import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { fill } from '../fill.ts'
import { large, lfsOf, pointer } from './client.ts'

const here = await world()
const there = await world()
await here
  .as(here.root)
  .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const file = large('goes ahead of the refs')
const source = await here.make.project()
fill(here, source, [{ files: { 'a.bin': pointer(file) } }])
await lfsOf(here, source.path_with_namespace, here.root).push(file)
const at = `/projects/${source.id}/remote_mirrors`

async function mirrorTo(url: string) {
  const { body } = await here.as(here.root).post(at, { url, enabled: true })
  await here.as(here.root).post(`${at}/${body.id}/sync`)
  await here.drain()
  return (await here.as(here.root).get(`${at}/${body.id}`)).body
}

it('mirrors receive LFS objects before the refs that need them', async () => {
  const target = await there.make.project()
  const { host } = new URL(there.url)
  const mirror = await mirrorTo(`http://root:${there.root.token}@${host}/${target.path_with_namespace}.git`)
  expect(mirror).toMatchObject({ update_status: 'finished', last_error: null })
  expect(await lfsOf(there, target.path_with_namespace, there.root).pull(file)).toEqual(file.content)
})

it('credentials are never sent to another server', async () => {
  const seen: { url: string; authorization: string | undefined }[] = []
  const elsewhere = createServer((req, res) => {
    seen.push({ url: req.url ?? '', authorization: req.headers.authorization })
    req.resume().on('end', () => res.end())
  }).listen(0, '127.0.0.1')
  const strange = createServer((req, res) => {
    req.resume().on('end', () => {
      if (!req.url?.endsWith('/objects/batch')) return void res.writeHead(404).end()
      const { port } = elsewhere.address() as AddressInfo
      const href = `http://127.0.0.1:${port}/take`
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(
        JSON.stringify({
          objects: [
            { oid: file.oid, actions: { upload: { href } } },
            { oid: 'other', actions: {} },
          ],
        }),
      )
    })
  }).listen(0, '127.0.0.1')
  afterAll(() => {
    elsewhere.close()
    strange.close()
  })
  await Promise.all([elsewhere, strange].map((server) => server.listening || once(server, 'listening')))
  const { port } = strange.address() as AddressInfo
  const mirror = await mirrorTo(`http://me:secret@127.0.0.1:${port}/x.git`)
  expect(seen).toEqual([{ url: '/take', authorization: undefined }])
  expect(mirror.update_status).not.toBe('finished')
})
