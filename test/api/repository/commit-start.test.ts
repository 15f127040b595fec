import { beforeEach, describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, onDisk } from './fill.ts'

const instance = await world()
const { as, make, root } = instance
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeEach(async () => {
  project = await make.project()
  ids = fill(instance, project, [{ message: 'First\n', files: { 'a.txt': 'one\n' } }])
  at = `/projects/${project.id}/repository`
})

describe('concurrent changes of one branch', () => {
  it('all succeed, one on top of the other', async () => {
    const names = Array.from({ length: 8 }, (_name, index) => `f${index}.txt`)
    const answers = await Promise.all(
      names.map((name) =>
        as(root).post(`${at}/files/${name}`, { branch: 'main', content: 'x\n', commit_message: name }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(names.map(() => 201))
    expect(shell(onDisk(instance, project), ['rev-list', '--count', 'main'])).toBe('9')
    expect(shell(onDisk(instance, project), ['ls-tree', '--name-only', 'main']).split('\n')).toHaveLength(9)
  })

  it('lets one succeed if they conflict', async () => {
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((content) =>
        as(root).post(`${at}/files/same.txt`, { branch: 'main', content, commit_message: content }),
      ),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 400, 400])
    const refused = answers.find((answer) => answer.status === 400)!
    expect(refused.body).toEqual({ message: 'A file with this name already exists' })
  })

  it('refuses a change based on an older state of the file', async () => {
    const answers = await Promise.all(
      ['two', 'three'].map((content) =>
        as(root).put(`${at}/files/a.txt`, {
          branch: 'main',
          content,
          commit_message: content,
          last_commit_id: ids[0],
        }),
      ),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 400])
    expect(answers.find((answer) => answer.status === 400)!.body.message).toContain(
      'has changed since you started',
    )
  })

  it('creates only one new branch', async () => {
    const answers = await Promise.all(
      ['one', 'two'].map((content) =>
        as(root).post(`${at}/files/${content}.txt`, {
          branch: 'fresh',
          start_branch: 'main',
          content,
          commit_message: content,
        }),
      ),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 400])
  })

  it('retries after a push in between', async () => {
    const ctx = instance.ctx()
    const repo = onDisk(instance, project)
    const [pushed] = fill(instance, project, [
      { branch: 'aside', from: 'refs/heads/main^0', files: { 'p.txt': 'p\n' } },
    ])
    // Moves the branch between the creation of the request's commit and its update of the branch.
    const original = repo.git.locks.run.bind(repo.git.locks)
    let moved = false
    repo.git.locks.run = ((key: string, work: () => Promise<unknown>) => {
      if (key === repo.key && !moved) {
        moved = true
        shell(repo, ['update-ref', 'refs/heads/main', pushed!, ids[0]!])
      }
      return original(key, work)
    }) as typeof repo.git.locks.run
    try {
      const answer = await as(root).post(`${at}/files/late.txt`, {
        branch: 'main',
        content: 'x\n',
        commit_message: 'late',
      })
      expect([answer.status, moved]).toEqual([201, true])
    } finally {
      repo.git.locks.run = original
    }
    expect(shell(repo, ['rev-parse', 'main^'])).toBe(pushed)
    expect(ctx.db.many('SELECT id FROM ref_journal')).toEqual([])
  })
})

describe('a commit that starts from another project', () => {
  const commit = (body: object, user = root) =>
    as(user).post(`${at}/commits`, {
      branch: 'started',
      commit_message: 'Start\n',
      actions: [{ action: 'create', file_path: 'n.txt', content: 'n\n' }],
      ...body,
    })

  it('includes the history, within a fork network', async () => {
    const other = await make.project({ visibility: 'private' })
    const [first, second] = fill(instance, other, [
      { files: { 'f.txt': 'fork\n' } },
      { branch: 'topic', files: { 'g.txt': 'g\n' } },
    ])
    const stranger = await commit({ start_project: other.id, start_branch: 'main' })
    expect([stranger.status, stranger.body]).toEqual([
      403,
      {
        message: `403 Forbidden - Project is not included in the fork network for ${project.path_with_namespace}`,
      },
    ])
    const { db } = instance.ctx()
    db.exec(
      'UPDATE projects SET forked_from_project_id = ?, fork_network_id = ? WHERE id = ?',
      project.id,
      project.id,
      other.id,
    )
    const { status, body } = await commit({ start_project: other.path_with_namespace, start_branch: 'topic' })
    expect([status, body.parent_ids]).toEqual([201, [second]])
    const byId = await commit({ branch: 'by-id', start_project: other.id, start_sha: first })
    expect([byId.status, byId.body.parent_ids]).toEqual([201, [first]])
    const usual = await commit({ branch: 'usual', start_project: other.id })
    expect([usual.status, usual.body.parent_ids]).toEqual([201, [first]])
    expect((await commit({ branch: 'x', start_project: other.id, start_branch: 'nope' })).body).toEqual({
      message: 'Invalid reference name: nope',
    })
    shell(onDisk(instance, project), ['fsck', '--connectivity-only'])
    // The error for an invisible project does not reveal that it exists.
    const developer = make.user()
    await make.member('projects', project.id, developer, 30)
    expect((await commit({ branch: 'y', start_project: other.id }, developer)).status).toBe(403)
  })
})
