import { rmSync } from 'node:fs'

import { beforeEach, describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from './fill.ts'

const instance = await world()
const { as, make, drain } = instance
const maintainer = make.user({ username: 'maintainer' })
const developer = make.user({ username: 'developer' })
const guest = make.user({ username: 'guest' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeEach(async () => {
  project = await make.project({ visibility: 'private' })
  await make.member('projects', project.id, maintainer, 40)
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, guest, 10)
  ids = fill(instance, project, [
    { files: { 'README.md': '# Hello\n' } },
    { files: { 'a.txt': 'a\n' } },
    { branch: 'feature/x', from: ':1', files: { 'x.txt': 'x\n' } },
    { branch: 'old', from: ':1', files: {} },
  ])
  shell(onDisk(instance, project), ['update-ref', 'refs/heads/old', ids[0]!])
  at = `/projects/${project.id}/repository/branches`
})

const names = (body: { name: string }[]) => body.map((branch) => branch.name)

describe('the divergence of branches from the default branch', () => {
  it('is counted for the requested branches', async () => {
    const path = `/-/projects/${project.id}/repository/divergence`
    const of = ['feature/x', 'main', 'nope', '..', 'old'].map((name) => `of[]=${encodeURIComponent(name)}`)
    const { status, body } = await as(developer).get(`${path}?${of.join('&')}`)
    expect(status).toBe(200)
    expect(body).toEqual([
      { name: 'feature/x', ahead: 1, behind: 1 },
      { name: 'main', ahead: 0, behind: 0 },
      { name: 'old', ahead: 0, behind: 1 },
    ])
    expect((await as(developer).get(path)).status).toBe(400)
    expect((await as(stranger).get(`${path}?of[]=main`)).status).toBe(404)
  })
})

describe('GET /projects/:id/repository/branches', () => {
  it('lists branches by name with totals', async () => {
    const { status, body, headers } = await as(developer).get(at)
    expect(status).toBe(200)
    expect(names(body)).toEqual(['feature/x', 'main', 'old'])
    expect(headers.get('x-total')).toBe('3')
    expect(body[0]).toMatchObject({
      merged: false,
      protected: false,
      default: false,
      developers_can_push: false,
      can_push: true,
      web_url: `${instance.url}/root/${project.path}/-/tree/feature/x`,
      commit: { id: ids[2], short_id: ids[2]!.slice(0, 8), parent_ids: [ids[0]], author_name: 'Ada Author' },
    })
    expect(body[2]).toMatchObject({ name: 'old', merged: true })
    expect(body[1]).toMatchObject({ name: 'main', default: true, merged: false })
  })

  it('shows which branches are merged while the default branch moves on', async () => {
    const merged = async () =>
      (await as(maintainer).get(at)).body
        .filter((branch: { merged: boolean }) => branch.merged)
        .map((branch: { name: string }) => branch.name)
    let count = 0
    const commit = async (branch: string) => {
      const action = { action: 'create', file_path: `${branch}-${++count}`, content: 'x' }
      const change = { branch, commit_message: 'More', actions: [action] }
      await as(maintainer).post(`/projects/${project.id}/repository/commits`, change)
    }
    expect(await merged()).toEqual(['old'])
    await commit('main')
    expect(await merged()).toEqual(['old'])
    await as(maintainer).post(`${at}?branch=new&ref=main`)
    await commit('main')
    expect(await merged()).toEqual(['new', 'old'])
    await commit('new')
    expect(await merged()).toEqual(['old'])
    const repo = onDisk(instance, project)
    shell(repo, ['update-ref', 'refs/heads/main', shell(repo, ['rev-parse', 'refs/heads/new'])])
    await commit('main')
    await commit('main')
    expect(await merged()).toEqual(['new', 'old'])
  })

  it('returns the same answer from the cache', async () => {
    const first = await as(developer).get(at)
    expect((await as(developer).get(at)).body).toEqual(first.body)
  })

  it('searches by substring, prefix, suffix and regular expression', async () => {
    expect(names((await as(developer).get(`${at}?search=EATURE`)).body)).toEqual(['feature/x'])
    expect(names((await as(developer).get(`${at}?search=^ma`)).body)).toEqual(['main'])
    expect(names((await as(developer).get(`${at}?search=d$`)).body)).toEqual(['old'])
    expect(names((await as(developer).get(`${at}?search=^main$`)).body)).toEqual(['main'])
    expect(names((await as(developer).get(`${at}?regex=^(main|old)$`)).body)).toEqual(['main', 'old'])
    const refused = await as(developer).get(`${at}?regex=(`)
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual({ error: 'regex is invalid' })
  })

  it('sorts by the time of the last commit', async () => {
    expect(names((await as(developer).get(`${at}?sort=updated_desc`)).body)).toEqual([
      'feature/x',
      'main',
      'old',
    ])
    expect(names((await as(developer).get(`${at}?sort=updated_asc`)).body)).toEqual([
      'old',
      'main',
      'feature/x',
    ])
  })

  it('pages by number and by branch name', async () => {
    const second = await as(developer).get(`${at}?per_page=2&page=2`)
    expect(names(second.body)).toEqual(['old'])
    const first = await as(developer).get(`${at}?pagination=keyset&per_page=2`)
    expect(names(first.body)).toEqual(['feature/x', 'main'])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!
    expect(first.headers.has('x-total')).toBe(false)
    const rest = await as(developer).get(`!${next.slice(instance.url.length)}`)
    expect(names(rest.body)).toEqual(['old'])
    expect(rest.headers.get('link')).toBe(null)
  })

  it('returns 403 for a guest, 404 for strangers and anonymous callers, and the list of a public project', async () => {
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(stranger).get(at)).status).toBe(404)
    expect((await as(null).get(at)).status).toBe(404)
    await as(instance.root).put(`/projects/${project.id}`, { visibility: 'public' })
    const { status, body } = await as(null).get(at)
    expect(status).toBe(200)
    expect(body[0].can_push).toBe(false)
  })

  it('is empty for an empty repository, and returns 404 for a missing one', async () => {
    const empty = await make.project({})
    expect((await as(instance.root).get(`/projects/${empty.id}/repository/branches`)).body).toEqual([])
    rmSync(onDisk(instance, project).gitDir, { recursive: true })
    const after = await as(developer).get(at)
    expect(after.status).toBe(404)
    expect(after.body).toEqual({ message: '404 Repository Not Found' })
  })
})

describe('GET /projects/:id/repository/branches/:branch', () => {
  it('finds names with slashes and dots', async () => {
    const { status, body } = await as(developer).get(`${at}/feature%2Fx`)
    expect(status).toBe(200)
    expect(body.name).toBe('feature/x')
    expect((await as(developer).head(`${at}/main`)).status).toBe(204)
    expect((await as(developer).head(`${at}/nope`)).status).toBe(404)
  })

  it('returns 404 for a branch that does not exist, and 400 for an invalid name', async () => {
    expect((await as(developer).get(`${at}/nope`)).body).toEqual({ message: '404 Branch Not Found' })
    for (const bad of ['..', 'a..b', '-x', 'a%20b', '%2e%2e%2f%2e%2e', 'x.lock', '--upload-pack=x']) {
      const answer = await as(developer).get(`${at}/${bad === '..' ? 'a%2F..%2Fb' : bad}`)
      expect(answer.body).toEqual({ message: 'The branch refname is invalid' })
      expect(answer.status).toBe(400)
    }
  })
})

describe('POST /projects/:id/repository/branches', () => {
  it('creates a branch and publishes it', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const { status, body } = await as(developer).post(at, { branch: 'fix/y', ref: 'main' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'fix/y', can_push: true, commit: { id: ids[1] } })
    expect(received).toEqual([
      {
        project_id: project.id,
        actor_id: developer.id,
        source: 'api',
        updates: [{ ref: 'refs/heads/fix/y', old: null, new: ids[1] }],
        part: 1,
        parts: 1,
        branches: 1,
        tags: 0,
      },
    ])
    await drain()
    expect(instance.jobs()).toContain('repository.update_statistics')
    const { commit_count } = instance
      .ctx()
      .db.one<{ commit_count: number }>('SELECT commit_count FROM projects WHERE id = ?', project.id)!
    expect(commit_count).toBe(2)
  })

  it('refuses a taken name, an invalid name, and an unknown start', async () => {
    const post = (branch: string, ref: string) => as(developer).post(at, { branch, ref })
    expect((await post('main', 'main')).body).toEqual({ message: 'Branch already exists' })
    expect((await post('-x', 'main')).body).toEqual({ message: 'Branch name is invalid' })
    expect((await post('a'.repeat(40), 'main')).body).toEqual({ message: 'Branch name is invalid' })
    expect((await post('y', 'nope')).body).toEqual({ message: 'Invalid reference name: nope' })
    expect((await post('y', '--all')).status).toBe(400)
    expect((await post('main/below', 'main')).status).toBe(400)
    expect((await as(developer).post(at, {})).body).toEqual({ error: 'branch is missing, ref is missing' })
    expect((await as(guest).post(at, { branch: 'y', ref: 'main' })).status).toBe(403)
  })

  it('applies protections to names that do not exist yet', async () => {
    await as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'release/*' })
    const refused = await as(developer).post(at, { branch: 'release/1', ref: 'main' })
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('protected')
    expect((await as(maintainer).post(at, { branch: 'release/1', ref: 'main' })).status).toBe(201)
  })

  it('creates one branch for two concurrent requests with the same name', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `race-${index}`)
    const create = (branch: string) => as(developer).post(at, { branch, ref: 'main' })
    const pairs = await Promise.all(names.map((name) => Promise.all([create(name), create(name)])))
    for (const pair of pairs) expect(pair.map(({ status }) => status).toSorted()).toEqual([201, 400])
  })
})

describe('DELETE /projects/:id/repository/branches/:branch', () => {
  it('deletes a branch', async () => {
    expect((await as(developer).delete(`${at}/feature%2Fx`)).status).toBe(204)
    expect((await as(developer).get(`${at}/feature%2Fx`)).status).toBe(404)
    expect((await as(developer).delete(`${at}/feature%2Fx`)).status).toBe(404)
  })

  it('refuses to delete the default branch', async () => {
    const { status, body } = await as(maintainer).delete(`${at}/main`)
    expect(status).toBe(405)
    expect(body).toEqual({ message: 'Cannot remove HEAD branch' })
  })

  it('lets maintainers delete a protected branch, but not developers', async () => {
    await as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'old' })
    expect((await as(developer).delete(`${at}/old`)).status).toBe(405)
    expect((await as(maintainer).delete(`${at}/old`)).status).toBe(204)
  })

  it('respects If-Unmodified-Since', async () => {
    const early = { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
    expect((await as(developer).delete(`${at}/old`, undefined, early)).status).toBe(412)
  })

  it('returns an error for an archived project', async () => {
    await as(instance.root).post(`/projects/${project.id}/archive`)
    expect((await as(developer).delete(`${at}/old`)).status).toBe(403)
    expect((await as(developer).get(at)).status).toBe(200)
  })
})

describe('DELETE /projects/:id/repository/merged_branches', () => {
  it('deletes merged branches, except protected ones', async () => {
    await as(developer).post(at, { branch: 'kept', ref: ids[0]! })
    await as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'kept' })
    const { status, body } = await as(developer).delete(`/projects/${project.id}/repository/merged_branches`)
    expect(status).toBe(202)
    expect(body).toEqual({ message: '202 Accepted' })
    expect(names((await as(developer).get(at)).body)).toEqual(['feature/x', 'kept', 'main'])
  })
})
