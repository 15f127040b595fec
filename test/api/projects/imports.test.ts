import { describe, expect, it } from 'vitest'

import { importRepository } from '../../../server/domains/import_export/imports/clone.ts'
import { projectById } from '../../../server/domains/projects/index.ts'
import { world } from '../../support/world.ts'

const { as, root, make, ctx, drain, url } = await world()
const ada = make.user({ username: 'ada' })
const guest = make.user()
const source = await make.project({
  owner: ada,
  name: 'Source',
  with: 'readme',
  default_branch: 'trunk',
  visibility: 'public',
})
await make.project({ owner: ada, name: 'Secret', with: 'readme' })
await as(ada).post(`/projects/${source.id}/repository/branches`, { branch: 'next', ref: 'trunk' })
const token = make.token(ada, ['read_repository'])
const local = (allowed: boolean) =>
  as(root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: allowed })
const importing = (import_url: string, more: object = {}) =>
  as(ada).post('/projects', { name: `Copy ${++count}`, import_url, ...more })
let count = 0

describe('POST /projects with import_url', () => {
  it('clones a repository in the background', async () => {
    await local(true)
    const { status, body } = await importing(`${url}/ada/source.git`, { visibility: 'internal' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      import_status: 'scheduled',
      import_type: 'git',
      import_url: `${url}/ada/source.git`,
      visibility: 'internal',
    })
    await drain()
    const { body: done } = await as(ada).get(`/projects/${body.id}?statistics=true`)
    expect(done).toMatchObject({
      import_status: 'finished',
      import_error: null,
      default_branch: 'trunk',
      empty_repo: false,
      statistics: { commit_count: 1 },
    })
    const branches = (await as(ada).get(`/projects/${body.id}/repository/branches`)).body
    expect(branches.map((branch: { name: string }) => branch.name)).toEqual(['next', 'trunk'])
    expect(
      (await as(ada).get('/projects?imported=true')).body.map((project: { id: number }) => project.id),
    ).toEqual([body.id])
    expect((await as(root).get('/projects?imported=true')).body).toEqual([])
  })

  it('follows redirects to addresses without .git, and never shows or keeps credentials', async () => {
    const { host } = new URL(url)
    const { status, body } = await importing(`http://ada:${token}@${host}/ada/secret.git`)
    expect([status, body.import_url]).toEqual([201, `${url}/ada/secret.git`])
    await drain()
    expect((await as(ada).get(`/projects/${body.id}`)).body.import_status).toBe('finished')
    expect(projectById(ctx().db, body.id)!.import_url).toBe(`${url}/ada/secret.git`)
    const bare = await importing(`${url}/ada/source`)
    await drain()
    expect((await as(ada).get(`/projects/${bare.body.id}`)).body).toMatchObject({ import_status: 'finished' })
  })

  it('reports the error without credentials if the address stops answering', async () => {
    const { host } = new URL(url)
    const { body } = await importing(`http://ada:${token}@${host}/ada/secret.git`)
    await drain()
    ctx().db.exec(
      "UPDATE projects SET import_url = ?, import_status = 'scheduled', repository_state = 'pending' WHERE id = ?",
      `http://ada:${token}@${host}/ada/nowhere.git`,
      body.id,
    )
    await importRepository(ctx(), body.id)
    const { body: failed } = await as(ada).get(`/projects/${body.id}`)
    expect(failed.import_status).toBe('failed')
    expect(failed.import_error).toMatch(/nowhere\.git/)
    expect(JSON.stringify(failed)).not.toContain(token)
    const stored = projectById(ctx().db, body.id)!
    expect(stored.import_url).toBe(`${url}/ada/nowhere.git`)
    expect(stored.repository_state).toBe('ready')
    // Only members who can change the project see the error.
    await make.member('projects', body.id, guest, 10)
    expect((await as(guest).get(`/projects/${body.id}`)).body).not.toHaveProperty('import_error')
    // A failed import does not start again.
    await importRepository(ctx(), body.id)
    expect((await as(ada).get(`/projects/${body.id}`)).body.import_status).toBe('failed')
  })

  it('stops if outbound requests to the address are forbidden meanwhile', async () => {
    const { body } = await importing(`${url}/ada/source.git`)
    await drain()
    const elsewhere = 'http://127.0.0.1:7999/ada/source.git'
    const change = "UPDATE projects SET import_status = 'started', import_url = ? WHERE id = ?"
    ctx().db.exec(change, elsewhere, body.id)
    await local(false)
    await importRepository(ctx(), body.id)
    await local(true)
    expect((await as(ada).get(`/projects/${body.id}`)).body).toMatchObject({
      import_status: 'failed',
      import_error: 'Requests to the local network are not allowed.',
    })
  })

  const refused: [string, () => string, number, object][] = [
    ['what is no address', () => 'not an address', 422, { message: 'not an address is not a valid URL' }],
    [
      'a file of this machine',
      () => 'file:///etc/passwd',
      422,
      { message: 'file:///etc/passwd is not a valid URL' },
    ],
    [
      'another protocol, without showing credentials',
      () => 'ssh://me:pw@example.test/x.git',
      422,
      { message: 'ssh://example.test/x.git is not a valid URL' },
    ],
    [
      'an address without a repository',
      () => `${url}/ada/nothing.git`,
      422,
      { message: 'Unable to access repository with the URL and credentials provided' },
    ],
    [
      'a page',
      () => `${url}/-/health#`,
      422,
      { message: 'Unable to access repository with the URL and credentials provided' },
    ],
  ]
  it.each(refused)('refuses %s', async (_name, address, status, body) => {
    const answer = await importing(address())
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  it('refuses the local network unless the settings allow it', async () => {
    await local(false)
    const blocked = 'is blocked: Requests to the local network are not allowed'
    const { status, body } = await importing('http://127.0.0.1:7999/ada/source.git')
    expect([status, body]).toEqual([400, { message: { import_url: [blocked] } }])
    const metadata = await importing('http://169.254.169.254/x.git')
    expect(metadata.body).toEqual({ message: { import_url: [blocked] } })
    // Requests to the instance itself are allowed.
    const own = await importing(`${url}/ada/source.git`)
    await drain()
    expect([own.status, (await as(ada).get(`/projects/${own.body.id}`)).body.import_status]).toEqual([
      201,
      'finished',
    ])
  })

  it('is disabled with its import source', async () => {
    await as(root).put('/application/settings', { import_sources: ['gitea'] })
    const { status, body } = await importing(`${url}/ada/source.git`)
    expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await as(root).put('/application/settings', { import_sources: ['svn'] })).body).toEqual({
      error: 'import_sources does not have a valid value',
    })
    await as(root).put('/application/settings', { import_sources: ['git'] })
  })

  it('cannot be combined with a template', async () => {
    const both = await importing(`${url}/ada/source.git`, { template_name: 'rails' })
    expect([both.status, both.body]).toEqual([
      400,
      { error: 'import_url, template_name are mutually exclusive' },
    ])
    const unknown = await as(ada).post('/projects', { name: 'x', template_name: 'trains' })
    expect([unknown.status, unknown.body]).toEqual([
      400,
      { message: { template_name: ["'trains' is unknown or invalid"] } },
    ])
  })
})

describe('POST /projects with the template of a group', () => {
  it('starts with the code of another project, and is no fork of it', async () => {
    const group = await make.group({ owner: ada, path: 'templates', name: 'Templates' })
    const template = await make.project({ owner: ada, namespace_id: group.id, name: 'base', with: 'readme' })
    const byId = await as(ada).post('/projects', {
      name: 'From id',
      use_custom_template: true,
      template_project_id: template.id,
    })
    const byName = await as(ada).post('/projects', {
      name: 'From name',
      use_custom_template: true,
      template_name: 'base',
      group_with_project_templates_id: group.id,
    })
    expect([byId.status, byName.status, byId.body.import_status]).toEqual([201, 201, 'scheduled'])
    await drain()
    for (const { body } of [byId, byName]) {
      const { body: done } = await as(ada).get(`/projects/${body.id}`)
      expect(done).toMatchObject({ import_status: 'finished', empty_repo: false })
      expect(done).not.toHaveProperty('forked_from_project')
      const file = await as(ada).get(`/projects/${body.id}/repository/files/README.md?ref=main`)
      expect(file.status).toBe(200)
    }
    const hidden = await as(guest).post('/projects', { name: 'x', template_project_id: template.id })
    expect([hidden.status, hidden.body]).toEqual([
      400,
      { message: { template_project_id: ['is unknown or invalid'] } },
    ])
  })
})

describe('PUT /projects/:id with import_url and mirror', () => {
  it('stores the address, shows it without credentials, and returns the mirror user', async () => {
    const { id } = await make.project({ owner: ada })
    const at = `/projects/${id}`
    expect((await as(ada).get(`${at}/mirror/pull`)).body).toEqual({ message: 'The project is not mirrored' })
    const { body } = await as(ada).put(at, {
      import_url: 'https://me:pw@example.test/x.git',
      mirror: true,
      only_mirror_protected_branches: true,
    })
    expect(body).toMatchObject({
      import_url: 'https://example.test/x.git',
      mirror: true,
      mirror_user_id: ada.id,
      only_mirror_protected_branches: true,
      mirror_trigger_builds: false,
    })
    expect((await as(ada).put(at, { import_url: 'ftp://example.test' })).status).toBe(422)
    const off = (await as(ada).put(at, { mirror: false })).body
    expect(off.mirror).toBe(false)
    expect(off).not.toHaveProperty('mirror_user_id')
  })
})
