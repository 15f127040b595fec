import { rmSync, utimesSync, writeFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { recoverJournal, announce } from '../../../server/domains/repository/service-refs.ts'
import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from './fill.ts'

const instance = await world()
const { as, make, root, drain } = instance
const count = () => instance.ctx().db.one<{ n: number }>('SELECT count(*) AS n FROM ref_journal')!.n

describe('a project with a README', () => {
  it('publishes and counts its first commit', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const project = await make.project({ with: 'readme' })
    await drain()
    const tip = shell(onDisk(instance, project), ['rev-parse', 'main'])
    expect(received).toMatchObject([
      {
        project_id: project.id,
        actor_id: root.id,
        source: 'api',
        updates: [{ ref: 'refs/heads/main', old: null, new: tip }],
      },
    ])
    const { body } = await as(root).get(`/projects/${project.id}?statistics=true`)
    expect(body.statistics.commit_count).toBe(1)
  })
})

// The test writes the state that a killed instance leaves; test/process kills real instances.
describe('the journal after a crash', () => {
  it('publishes refs that moved, once', async () => {
    const project = await make.project({})
    const [id] = fill(instance, project, [{ files: { a: '1' } }])
    instance.ctx().db.exec('UPDATE projects SET empty_repo = 1 WHERE id = ?', project.id)
    const change = { ref: 'refs/heads/main', old: null, new: id! }
    announce({ ...instance.ctx() }, project, { source: 'push', changes: [change] })
    const received = watchEvents(instance, 'refs.updated')
    await recoverJournal(instance.ctx())
    expect(received).toMatchObject([{ project_id: project.id, source: 'push', updates: [change] }])
    expect(count()).toBe(0)
    await recoverJournal(instance.ctx())
    expect(received).toHaveLength(1)
    expect((await as(root).get(`/projects/${project.id}`)).body.empty_repo).toBe(false)
    await drain()
  })

  it('publishes only the moves that happened, and checks again later if there were none', async () => {
    const project = await make.project({})
    const [first, second] = fill(instance, project, [{ files: { a: '1' } }, { files: { a: '2' } }])
    const moved = { ref: 'refs/heads/main', old: first!, new: second! }
    const still = { ref: 'refs/heads/other', old: null, new: second! }
    announce(instance.ctx(), project, { source: 'push', changes: [moved, still] })
    const received = watchEvents(instance, 'refs.updated')
    await recoverJournal(instance.ctx())
    expect(received.map((event) => event['updates'])).toEqual([[moved]])
    announce(instance.ctx(), project, { source: 'api', changes: [still] })
    await recoverJournal(instance.ctx())
    expect(received).toHaveLength(1)
    expect(count()).toBe(1)
    const waiting = instance.ctx().db.many("SELECT * FROM jobs WHERE name = 'repository.recover_journal'")
    expect(waiting).toHaveLength(1)
    // Repeating the change also completes the journal entry of the first attempt, so the change is published once.
    await as(root).post(`/projects/${project.id}/repository/branches`, { branch: 'other', ref: second })
    expect(received).toHaveLength(2)
    expect(count()).toBe(0)
  })

  it('starts although a repository is missing, and drops rows of deleted projects', async () => {
    const project = await make.project({})
    const [id] = fill(instance, project, [{ files: { a: '1' } }])
    announce(instance.ctx(), project, {
      source: 'api',
      changes: [{ ref: 'refs/heads/x', old: null, new: id! }],
    })
    rmSync(onDisk(instance, project).gitDir, { recursive: true })
    await recoverJournal(instance.ctx())
    await as(root).delete(`/projects/${project.id}`)
    await drain()
    await recoverJournal(instance.ctx())
    expect(count()).toBe(0)
  })

  it('removes lock files that would block later writes', async () => {
    const project = await make.project({})
    const [id] = fill(instance, project, [{ files: { a: '1' } }])
    const change = { ref: 'refs/heads/locked', old: null, new: id! }
    announce(instance.ctx(), project, { source: 'api', changes: [change] })
    const lock = `${onDisk(instance, project).gitDir}/refs/heads/locked.lock`
    writeFileSync(lock, '')
    utimesSync(lock, 1, 1)
    await recoverJournal(instance.ctx())
    const { status } = await as(root).post(`/projects/${project.id}/repository/branches`, {
      branch: 'locked',
      ref: 'main',
    })
    expect(status).toBe(201)
  })
})

describe('the event stream of the window', () => {
  it('receives a push immediately', async () => {
    const project = await make.project({ with: 'readme' })
    await drain()
    const abort = new AbortController()
    const stream = await fetch(`${instance.url}/-/events`, {
      headers: { 'private-token': root.token },
      signal: abort.signal,
    })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    await as(root).post(`/projects/${project.id}/repository/branches`, { branch: 'live', ref: 'main' })
    let text = ''
    while (!text.includes('refs.updated')) text += (await reader.read()).value
    expect(text).toContain(`"project_id":${project.id}`)
    expect(text).toContain('refs/heads/live')
    abort.abort()
    await reader.cancel().catch(() => undefined)
  })
})
