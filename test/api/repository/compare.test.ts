import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let fork: any
let ids: string[]
let at: string

beforeAll(async () => {
  project = await make.project()
  fork = await make.project()
  const shared = { message: 'First\n', files: { 'a.txt': 'one\n', 'gone.txt': 'gone\n' } }
  ids = fill(instance, project, [
    shared,
    { message: 'Second\n', files: { 'b.txt': 'b\n' } },
    { branch: 'island', message: 'Alone\n', files: { 'i.txt': 'i\n' } },
    { branch: 'feature/ä', from: ':1', message: 'Third\n', files: { 'gone.txt': null, 'n/ew.txt': 'new\n' } },
  ])
  fill(instance, fork, [shared, { message: 'In the fork\n', files: { 'fork.txt': 'f\n' } }])
  at = `/projects/${project.id}/repository`
})

describe('GET /projects/:id/repository/compare', () => {
  const compare = (query: string, of = at, user = root) => as(user).get(`${of}/compare?${query}`)

  it('compares with a project of the same fork network', async () => {
    const query = `from=main&to=main&from_project_id=${project.id}`
    const of = `/projects/${fork.id}/repository`
    expect(await compare(query, of)).toMatchObject({
      status: 400,
      body: { message: `Target project id:${project.id} is not a fork of project id:${fork.id}` },
    })
    instance
      .ctx()
      .db.exec(
        'UPDATE projects SET forked_from_project_id = ?, fork_network_id = ? WHERE id = ?',
        project.id,
        project.id,
        fork.id,
      )
    const { status, body } = await compare(query, of)
    expect(status).toBe(200)
    expect(body.commits.map((commit: { title: string }) => commit.title)).toEqual(['In the fork'])
    expect(body.diffs.map((diff: { new_path: string }) => diff.new_path)).toEqual(['fork.txt'])
    const back = await compare(`from=main&to=main&from_project_id=${fork.id}&straight=true`)
    expect(back.body.commits.map((commit: { title: string }) => commit.title)).toEqual(['Second'])
    expect(back.body.diffs.map((diff: { new_path: string }) => diff.new_path)).toEqual(['b.txt', 'fork.txt'])
    // Commits of the other project cannot be read in this project.
    const alien = back.body.diffs.length > 0 && body.commits[0].id
    expect((await as(root).get(`${at}/commits/${alien}`)).status).toBe(404)
    expect((await compare(`from=main&to=main&from_project_id=999999`)).status).toBe(400)
    const developer = make.user()
    await make.member('projects', project.id, developer, 30)
    expect((await compare(`from=main&to=main&from_project_id=${fork.id}`, at, developer)).status).toBe(400)
  })

  it('adds file headers to each diff on request', async () => {
    const { body } = await compare('from=main&to=feature%2F%C3%A4&unidiff=true')
    expect(body.diffs.map((diff: { diff: string }) => diff.diff)).toEqual([
      '--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n',
      '--- /dev/null\n+++ b/n/ew.txt\n@@ -0,0 +1 @@\n+new\n',
    ])
    expect(body.web_url).toMatch(/compare\/main\.\.\.feature\/%C3%A4$/)
    const plain = await compare('from=main&to=feature%2F%C3%A4')
    expect(plain.body.diffs[1].diff).toBe('@@ -0,0 +1 @@\n+new\n')
    const commit = await as(root).get(`${at}/commits/${ids[1]}/diff?unidiff=true`)
    expect(commit.body[0].diff).toBe('--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n')
  })

  it('compares unrelated histories', async () => {
    const { status, body } = await compare('from=island&to=main')
    expect(status).toBe(200)
    expect(body.commits).toHaveLength(2)
    expect(body.diffs.map((diff: { new_path: string }) => diff.new_path)).toContain('i.txt')
  })

  it('reports that a limit cut the result', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, `${index}\n`]))
    fill(instance, project, [{ branch: 'many', from: 'refs/heads/main^0', files: many }])
    const first = await compare('from=main&to=many')
    expect([first.body.compare_timeout, first.body.diffs.length]).toEqual([true, 1000])
    expect((await as(root).put('/application/settings', { diff_max_files: 3000 })).status).toBe(200)
    const second = await compare('from=main&to=many')
    expect([second.body.compare_timeout, second.body.diffs.length]).toEqual([false, 1001])
  })

  it('returns an error for unknown refs', async () => {
    expect(await compare('from=nope&to=main')).toMatchObject({
      status: 404,
      body: { message: '404 Ref Not Found' },
    })
    expect((await compare('from=main')).body).toEqual({ error: 'to is missing' })
  })
})

describe('GET /projects/:id/repository/merge_base', () => {
  it('returns an error if there is none', async () => {
    expect(await as(root).get(`${at}/merge_base?refs[]=main&refs[]=island`)).toMatchObject({
      status: 404,
      body: { message: '404 Merge Base Not Found' },
    })
    const { body } = await as(root).get(
      `${at}/merge_base?refs[]=main&refs[]=feature%2F%C3%A4&refs[]=${ids[0]}`,
    )
    expect(body.id).toBe(ids[0])
  })
})
