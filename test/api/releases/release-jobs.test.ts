import { describe, expect, it } from 'vitest'

import { parseArgs } from '../../../server/domains/ci/built_in_runner/release_cli/request.ts'
import { requestOf } from '../../../server/domains/ci/built_in_runner/release_cli/request.ts'
import { itemsOfJob } from '../../../server/domains/ci/job_variables/of-job.ts'
import { byId as jobById, detailsOf } from '../../../server/domains/ci/jobs/store.ts'
import { pipelineById } from '../../../server/domains/ci/index.ts'
import { projectById } from '../../../server/domains/projects/index.ts'
import { world } from '../../support/world.ts'
import { pipelinesOf } from '../ci/artifact-world.ts'
import { fill } from '../repository/fill.ts'

const here = await world()
const root = here.as(here.root)
const project = await here.make.project()
const config = `
publish:
  stage: test
  variables: { GIT_STRATEGY: none, LEVEL: 7 }
  rules: [{ if: $CI_COMMIT_BRANCH }]
  script: ['printf "# News\\n- one \\"and\\" two\\n" > notes.md']
  release:
    tag_name: 'v$LEVEL.0'
    tag_message: 'Made by $CI_JOB_NAME'
    name: "Level $LEVEL"
    description: notes.md
    milestones: ['m1, really']
    released_at: '2026-01-02T03:04:05Z'
    assets:
      links:
        - { name: 'tool "x"', url: 'https://x.test/$LEVEL', filepath: /bin/x, link_type: package }
twice:
  stage: deploy
  variables: { GIT_STRATEGY: none }
  script: ['echo again']
  release: { tag_name: v7.0, description: "- a list\\n- of two" }
  allow_failure: true
  rules: [{ if: $CI_COMMIT_BRANCH }]
`
const [sha] = fill(here, project, [{ branch: 'main', message: 'First', files: { '.gitlab-ci.yml': config } }])

function ended(pipelineId: number): Promise<unknown> {
  return new Promise((resolve) => {
    const stop = here.ctx().events.watch((event, payload) => {
      const { pipeline_id, status } = payload as Record<string, unknown>
      if (event !== 'pipeline.changed' || pipeline_id !== pipelineId) return
      if (!/success|failed|canceled/.test(String(status))) return
      stop()
      resolve(status)
    })
  })
}

describe('a job with `release:` on the built-in runner', () => {
  it('creates the release', async () => {
    await root.post(`/projects/${project.id}/milestones`, { title: 'm1, really' })
    await root.put('/-/built_in_runner', { enabled: true, concurrency: 1 })
    const pipeline = (await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })).body
    const status = await ended(pipeline.id)
    const jobs = (await root.get(`/projects/${project.id}/pipelines/${pipeline.id}/jobs`)).body
    const log = async (name: string) => {
      const job = jobs.find((job: { name: string }) => job.name === name)
      return (await root.get(`/projects/${project.id}/jobs/${job.id}/trace`)).text
    }
    expect([status, await log('publish')]).toEqual([
      'success',
      expect.stringContaining('Release created: Level 7\n'),
    ])
    expect((await root.get(`/projects/${project.id}/releases/v7.0`)).body).toMatchObject({
      name: 'Level 7',
      description: '# News\n- one "and" two\n',
      released_at: '2026-01-02T03:04:05.000Z',
      author: { username: 'root' },
      commit: { id: sha },
      milestones: [{ title: 'm1, really' }],
      assets: { count: 5, links: [{ name: 'tool "x"', url: 'https://x.test/7', link_type: 'package' }] },
    })
    const tag = (await root.get(`/projects/${project.id}/repository/tags/v7.0`)).body
    expect(tag.message).toBe('Made by publish')
    expect(jobs.find((job: { name: string }) => job.name === 'twice').status).toBe('failed')
    expect(await log('twice')).toContain('release-cli: 409 Release already exists\n')
  })
})

describe('a job of a tag', () => {
  it('gets the description of the release', async () => {
    const other = await here.make.project()
    const [commit] = fill(here, other, [{ files: { a: '1' } }])
    const description = `It costs $5. ${'n'.repeat(2000)}`
    await root.post(`/projects/${other.id}/releases`, { tag_name: 'v1', ref: 'main', description })
    const ctx = here.ctx()
    const ci = pipelinesOf(here, other, here.root)
    const descriptionFor = async (ref: string, tag: boolean) => {
      const id = ci.pipeline({ ref, tag })
      ctx.db.exec('UPDATE ci_pipelines SET sha = ? WHERE id = ?', commit, id)
      const job = jobById(ctx.db, ci.job(id).id)!
      const stored = {
        project: projectById(ctx.db, other.id)!,
        pipeline: pipelineById(ctx.db, id)!,
        job,
        details: detailsOf(ctx.db, job.id)!,
      }
      return (await itemsOfJob(ctx, stored)).find((item) => item.key === 'CI_RELEASE_DESCRIPTION')
    }
    expect(await descriptionFor('v1', true)).toMatchObject({ value: description.slice(0, 1024), isRaw: true })
    expect(await descriptionFor('v1', false)).toBeUndefined()
    expect(await descriptionFor('v2', true)).toBeUndefined()
  })
})

describe('release-cli', () => {
  const env = { CI_PROJECT_ID: '7', CI_JOB_TOKEN: 'secret', CI_COMMIT_SHA: 'abc' }
  const order = (...args: string[]) => requestOf(args, { folder: here.dataDir, env })

  it('parses the arguments of a shell', () => {
    expect([...parseArgs(['create', '--name', '- x', '--milestone=a=b', '--milestone', '']).flags]).toEqual([
      ['name', ['- x']],
      ['milestone', ['a=b', '']],
    ])
  })

  it('sends the request for its arguments', () => {
    expect(order('create', '--tag-name', 'a/b', '--description', '../../etc/passwd').call).toEqual({
      method: 'POST',
      path: '/projects/7/releases',
      headers: { 'job-token': 'secret' },
      body: { tag_name: 'a/b', ref: 'abc', description: '../../etc/passwd' },
    })
    const link = '{"name":"x","url":"u"}'
    expect(
      order('create', '--tag-name', 'v', '--assets-link', link, '--assets-link', `[${link}]`).call.body,
    ).toMatchObject({ assets: { links: [{ name: 'x' }, { name: 'x' }] } })
    expect(order('update', '--tag-name', 'a/b', '--milestone', 'm', '--private-token', 'p').call).toEqual({
      method: 'PUT',
      path: '/projects/7/releases/a%2Fb',
      headers: { 'private-token': 'p' },
      body: { milestones: ['m'] },
    })
    expect(order('get', '--tag-name', 'v').call).toMatchObject({ method: 'GET' })
  })

  it.each([
    [[], 'no such command: ; one of create, update, get'],
    [['create'], 'required flag "tag-name" not set'],
    [['create', '--tag-name'], 'flag needs an argument: --tag-name'],
    [['create', 'x'], 'unexpected argument: x'],
    [['create', '--tag-name', 'v', '--shell', 'x'], 'flag provided but not defined: --shell'],
    [['create', '--tag-name', 'v', '--assets-link', '{'], /JSON/],
  ])('reports the error of %j', (args, text) => {
    expect(() => order(...args)).toThrow(text)
  })
})
