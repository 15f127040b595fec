import { PassThrough } from 'node:stream'

import { expect, it } from 'vitest'

import { authenticateLfs } from '../../../../server/domains/repository/lfs/ssh.ts'
import type { Actor } from '../../../../server/policy/actor.ts'
import { world, type TestUser } from '../../../support/world.ts'
import { large, lfsOf } from './client.ts'

const instance = await world()
const { as, make, root } = instance
const project = await make.project()
const path: string = project.path_with_namespace
const [reporter, stranger] = [make.user(), make.user()]
await make.member('projects', project.id, reporter, 20)
const file = large('asked for over SSH')
await lfsOf(instance, path, root).push(file)

const byKey = ({ id, username }: TestUser): Actor => ({
  kind: 'user',
  id,
  username,
  name: username,
  email: '',
  is_admin: false,
  external: false,
  scopes: null,
  via: 'key',
})

/** Runs a command over SSH and returns its response. */
async function ask(actor: Actor, text: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await authenticateLfs({ ...instance.ctx(), actor }, [], { text, stdout, stderr })
  const output = stdout.read() as Buffer | null
  const complaint = stderr.read() as Buffer | null
  return { code, answer: output && JSON.parse(output.toString()), complaint: complaint?.toString() ?? '' }
}

it('a client over SSH gets the URL and token to continue', async () => {
  const { code, answer } = await ask(byKey(reporter), `git-lfs-authenticate '/${path}.git' download`)
  expect([code, answer]).toEqual([
    0,
    {
      href: `${instance.url}/${path}.git/info/lfs`,
      header: { Authorization: expect.stringMatching(/^Basic /) },
      expires_in: 1800,
    },
  ])
  const nobody = lfsOf(instance, path)
  const question = { operation: 'download', objects: [{ oid: file.oid, size: file.size }] }
  const batch = (header: Record<string, string>) => nobody.ask('POST', 'objects/batch', question, header)
  expect((await batch(answer.header)).body.objects[0].actions.download).toBeDefined()
  // The credentials from SSH are also valid while git over HTTP is disabled.
  await as(root).put('/application/settings', { enabled_git_access_protocol: 'ssh' })
  const [granted, plain] = [
    await batch(answer.header),
    await lfsOf(instance, path, root).ask('POST', 'objects/batch', question),
  ]
  await as(root).put('/application/settings', { enabled_git_access_protocol: '' })
  expect([granted.status, plain.status]).toEqual([200, 403])
  const { href, header } = granted.body.objects[0].actions.download
  expect((await nobody.ask('GET', href, undefined, header)).bytes).toEqual(file.content)
  const upload = await nobody.ask(
    'POST',
    'objects/batch',
    { ...question, operation: 'upload' },
    answer.header,
  )
  expect(upload.status).toBe(403)
})

it('LFS over SSH has the same permissions as the code', async () => {
  expect((await ask(byKey(reporter), `git-lfs-authenticate ${path} upload`)).code).toBe(1)
  const hidden = await ask(byKey(stranger), `git-lfs-authenticate ${path} download`)
  const missing = await ask(byKey(stranger), 'git-lfs-authenticate no/such download')
  expect([hidden.code, hidden.answer]).toEqual([1, null])
  expect(hidden.complaint).toBe(missing.complaint)
  const blocked = await ask(byKey(reporter), `git-lfs-authenticate ${path} download`)
  await as(root).post(`/users/${reporter.id}/block`)
  const answer = await lfsOf(instance, path).ask(
    'GET',
    `objects/${file.oid}`,
    undefined,
    blocked.answer.header,
  )
  await as(root).post(`/users/${reporter.id}/unblock`)
  expect(answer.status).toBe(403)
})

it('LFS over SSH rejects other commands', async () => {
  for (const rest of [
    '',
    'download',
    `${path} delete`,
    `${path} download; rm -rf /`,
    `'${path} download`,
    `$(id) download`,
    `${path}\0 download`,
    `${'a/'.repeat(3000)}b download`,
  ]) {
    const { code, complaint } = await ask(byKey(reporter), `git-lfs-authenticate ${rest}`)
    expect([code, complaint]).toEqual([1, expect.stringMatching(/^ERROR: This command is not allowed/)])
  }
})
