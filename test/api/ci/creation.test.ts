import { beforeAll, describe, expect, test } from 'vitest'

import { shell } from '../../support/git.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from '../repository/fill.ts'
import { pipelinesOf } from './creation-world.ts'

const w = await world()
const root = w.as(w.root)
const { projectWith, jobs, details, names, variables } = pipelinesOf(w)

const CONFIG = `
stages: [build, test, deploy]
workflow:
  name: Build $CI_PIPELINE_IID of $APP
  auto_cancel: { on_new_commit: interruptible }
variables:
  APP: shop
compile:
  stage: build
  script: [make]
  tags: [linux, $APP]
  interruptible: true
check:
  stage: test
  script: [make test]
  needs: [compile]
  rules:
    - if: $DEEP
      variables: { LEVEL: deep }
      allow_failure: true
    - when: on_success
release:
  stage: deploy
  script: [make deploy]
  when: manual
  environment: { name: review/$APP-$CI_COMMIT_REF_SLUG, on_stop: halt }
  resource_group: $APP
halt:
  stage: deploy
  script: [make stop]
  when: manual
  environment: { name: review/$APP-$CI_COMMIT_REF_SLUG, action: stop }
only-tags:
  script: [echo]
  rules: [{ if: $CI_COMMIT_TAG }]
`

let dev: TestUser
let reporter: TestUser
let project: Awaited<ReturnType<typeof projectWith>>
let at: string

beforeAll(async () => {
  project = await projectWith(CONFIG)
  at = `/projects/${project.id}/pipeline`
  dev = w.make.user()
  reporter = w.make.user()
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, reporter, 20)
})

describe('POST /projects/:id/pipeline', () => {
  test('creates a pipeline with its jobs, environments, resource groups and variables', async () => {
    const received = watchEvents(w, 'pipeline.created')
    const made = await root.post(at, {
      ref: 'main',
      variables: [
        { key: 'DEEP', value: 'yes' },
        { key: 'KEY', value: 'secret', variable_type: 'file' },
      ],
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      iid: 1,
      ref: 'main',
      sha: project.sha,
      source: 'api',
      tag: false,
      status: 'pending',
      name: 'Build 1 of shop',
      before_sha: '0'.repeat(40),
      user: { id: w.root.id },
      yaml_errors: null,
    })
    expect(made.body.committed_at).toMatch(/^20/)
    const rows = jobs(made.body.id)
    expect(rows.map(({ name, stage, stage_index, kind }) => [name, stage, stage_index, kind])).toEqual([
      ['compile', 'build', 1, 'job'],
      ['check', 'test', 2, 'job'],
      ['release', 'deploy', 3, 'job'],
      ['halt', 'deploy', 3, 'job'],
    ])
    expect(rows[0]).toMatchObject({ status: 'pending', interruptible: true, ref: 'main', user_id: w.root.id })
    expect(rows[0]!['tag_list']).toBe('["linux","shop"]')
    expect(rows[1]).toMatchObject({ status: 'created', allow_failure: true })
    expect(JSON.parse(rows[1]!['needs'] as string)).toEqual([
      { name: 'compile', artifacts: true, optional: false },
    ])
    expect(details(rows[1]!['id'] as number).variables).toEqual([
      { key: 'APP', value: 'shop' },
      { key: 'LEVEL', value: 'deep' },
    ])
    expect(details(rows[0]!['id'] as number).options).toMatchObject({ script: ['make'], timeout: null })
    expect(rows[2]).toMatchObject({
      environment: 'review/shop-main',
      environment_action: 'start',
      when: 'manual',
    })
    const db = w.ctx().db
    expect(db.one('SELECT key FROM ci_resource_groups WHERE id = ?', rows[2]!['resource_group_id'])).toEqual({
      key: 'shop',
    })
    expect(db.one('SELECT status, on_stop FROM deployments WHERE job_id = ?', rows[2]!['id'])).toEqual({
      status: 'created',
      on_stop: 'halt',
    })
    expect(variables(made.body.id)).toEqual({ DEEP: 'yes', KEY: 'secret' })
    const [stored] = db.many<{ value: string }>('SELECT value FROM ci_pipeline_variables')
    expect(stored!.value).not.toContain('yes')
    const row = db.one<{ auto_cancel: string }>('SELECT * FROM ci_pipelines WHERE id = ?', made.body.id)!
    expect(JSON.parse(row.auto_cancel)).toEqual({ on_new_commit: 'interruptible' })
    expect(received).toMatchObject([{ pipeline_id: made.body.id, source: 'api', actor_id: w.root.id }])
  })

  test('lets runners fetch its commit by the pipeline ref until it is finished', async () => {
    const { body } = await root.post(at, { ref: 'main' })
    const repo = onDisk(w, project)
    const refs = () => shell(repo.gitDir, ['for-each-ref', '--format=%(refname) %(objectname)'])
    expect(refs()).toContain(`refs/pipelines/${body.id} ${project.sha}`)
    expect(refs()).toContain(`refs/keep-around/${project.sha}`)
    const { body: branches } = await root.get(`/projects/${project.id}/repository/branches`)
    expect(branches.map(({ name }: { name: string }) => name)).toEqual(['main'])
    await root.post(`/projects/${project.id}/pipelines/${body.id}/cancel`)
    await w.drain()
    expect(refs()).not.toContain(`refs/pipelines/${body.id} `)
    const deleted = await root.post(at, { ref: 'main' })
    expect(refs()).toContain(`refs/pipelines/${deleted.body.id} `)
    await root.delete(`/projects/${project.id}/pipelines/${deleted.body.id}`)
    await w.drain()
    expect(refs()).not.toContain(`refs/pipelines/${deleted.body.id} `)
  })

  test('accepts tags and full ref names, and rejects unknown refs', async () => {
    const tagged = await projectWith('a: {script: [x], only: [tags]}\nb: {script: [x], except: [tags]}')
    const { gitDir } = onDisk(w, tagged)
    shell(gitDir, ['tag', '-a', '-m', 'release', 'v1', tagged.sha])
    shell(gitDir, ['tag', 'main', tagged.sha])
    const start = (ref: string) => root.post(`/projects/${tagged.id}/pipeline`, { ref })
    const tag = await start('v1')
    expect(tag.body).toMatchObject({ ref: 'v1', tag: true, sha: tagged.sha })
    expect(names(tag.body.id)).toEqual(['a'])
    const full = await start('refs/heads/main')
    expect(full.body).toMatchObject({ ref: 'main', tag: false })
    expect(names(full.body.id)).toEqual(['b'])
    expect((await start('refs/tags/main')).body).toMatchObject({ ref: 'main', tag: true })
    expect((await start('main')).body).toEqual({ message: { base: ['Ref is ambiguous'] } })
    const missing = { status: 400, body: { message: { base: ['Reference not found'] } } }
    expect(await start('refs/tags/v2')).toMatchObject(missing)
    expect(await start(tagged.sha)).toMatchObject(missing)
    expect(await start('-x')).toMatchObject(missing)
    const empty = await w.make.project()
    expect(await root.post(`/projects/${empty.id}/pipeline`, { ref: 'main' })).toMatchObject(missing)
  })

  test('returns the errors of the configuration and stores no pipeline', async () => {
    const broken = await projectWith(null)
    const refusal = async (config: string | null, branch: string) => {
      fill(w, broken, [{ branch, files: config === null ? { x: 'y' } : { '.gitlab-ci.yml': config } }])
      const { status, body } = await root.post(`/projects/${broken.id}/pipeline`, { ref: branch })
      return [status, body.message.base]
    }
    expect(await refusal(null, 'none')).toEqual([400, ['Missing CI config file']])
    expect(await refusal('a: {script: [x], when: soon}', 'bad')).toEqual([
      400,
      ['jobs:a when should be one of: on_success, on_failure, always, manual, delayed'],
    ])
    expect(await refusal('a: {script: [x], only: [tags]}', 'filtered')).toEqual([
      400,
      ['No stages / jobs for this pipeline.'],
    ])
    const workflow = 'workflow: {rules: [{if: $NO}]}\na: {script: [x]}'
    expect(await refusal(workflow, 'workflow')).toEqual([400, ['Pipeline filtered out by workflow rules.']])
    const needs = 'a: {script: [x], rules: [{if: $NO}]}\nb: {script: [x], needs: [a]}'
    const [status, [text]] = await refusal(needs, 'needs')
    expect([status, text]).toEqual([400, expect.stringMatching(/^'b' job needs 'a' job, but 'a' does not/)])
    expect(pipelinesOf(w).all(broken.id)).toEqual([])
  })

  test('checks the variables of the request', async () => {
    const start = async (variables: unknown) =>
      (await root.post(at, { ref: 'main', variables: variables })).body
    expect(await start([{ key: 'A-B', value: 'x' }])).toEqual({
      message: { 'variables.key': ["can contain only letters, digits and '_'."] },
    })
    expect(
      await start([
        { key: 'A', value: 'x' },
        { key: 'A', value: 'y' },
      ]),
    ).toEqual({ message: { variables: ['have duplicate values (A)'] } })
    expect(await start([{ key: 'A', value: 'x', variable_type: 'odd' }])).toEqual({
      error: 'variables[0][variable_type] does not have a valid value',
    })
    expect(await start('x')).toEqual({ error: 'variables is invalid' })
  })
})

describe('permissions', () => {
  test('let developers start pipelines on refs that they may push to', async () => {
    expect((await w.as(reporter).post(at, { ref: 'main' })).status).toBe(403)
    expect((await w.as(null).post(at, { ref: 'main' })).status).toBe(401)
    fill(w, project, [{ branch: 'topic', files: { '.gitlab-ci.yml': CONFIG } }])
    expect((await w.as(dev).post(at, { ref: 'topic' })).status).toBe(201)
    await root.post(`/projects/${project.id}/protected_branches`, { name: 'top*', push_access_level: 40 })
    const refused = await w.as(dev).post(at, { ref: 'topic' })
    expect(refused.status).toBe(400)
    expect(refused.body.message.base[0]).toMatch(
      /^You do not have sufficient permission to run a pipeline on 'topic'\./,
    )
    // Users who may merge may also run pipelines.
    await root.delete(`/projects/${project.id}/protected_branches/top*`)
    await root.post(`/projects/${project.id}/protected_branches`, {
      name: 'top*',
      push_access_level: 0,
      merge_access_level: 30,
    })
    const merging = await w.as(dev).post(at, { ref: 'topic' })
    expect(merging.status).toBe(201)
    expect(jobs(merging.body.id)[0]).toMatchObject({ protected: true })
    shell(onDisk(w, project).gitDir, ['tag', 'v9', project.sha])
    await root.post(`/projects/${project.id}/protected_tags`, { name: 'v*', create_access_level: 40 })
    expect((await w.as(dev).post(at, { ref: 'v9' })).status).toBe(400)
    expect((await root.post(at, { ref: 'v9' })).status).toBe(201)
  })

  test('limit variables to maintainers if the project requires it', async () => {
    await root.put(`/projects/${project.id}`, { restrict_user_defined_variables: true })
    const params = { ref: 'topic', variables: [{ key: 'A', value: 'b' }] }
    expect((await w.as(dev).post(at, params)).body).toEqual({
      message: { base: ['Insufficient permissions to set pipeline variables'] },
    })
    expect((await w.as(dev).post(at, { ref: 'topic' })).status).toBe(201)
    expect((await root.post(at, params)).status).toBe(201)
  })
})

describe('a configuration outside of the repository root', () => {
  test('is read from another path, another project or an address', async () => {
    const shared = await projectWith(null, { 'ci/main.yml': 'far: {script: [x]}', 'x.yml': 'a: {script: 1}' })
    const user = await projectWith(null, { 'deep/ci.yaml': 'near: {script: [x]}' })
    const start = async (path: string) => {
      await root.put(`/projects/${user.id}`, { ci_config_path: path })
      return root.post(`/projects/${user.id}/pipeline`, { ref: 'main' })
    }
    expect(names((await start('deep/ci.yaml')).body.id)).toEqual(['near'])
    const path = shared.path_with_namespace
    expect(names((await start(`ci/main.yml@${path}`)).body.id)).toEqual(['far'])
    expect(names((await start(`ci/main.yml@${path}:main`)).body.id)).toEqual(['far'])
    expect((await start(`none.yml@${path}`)).body.message.base).toEqual([
      `Project \`${path}\` file \`none.yml\` does not exist!`,
    ])
    expect((await start(`ci/main.yml@${path}:old`)).body.message.base).toEqual([
      `Project \`${path}\` reference \`old\` does not exist!`,
    ])
    expect((await start('http://127.0.0.1:9/ci.yml')).body.message.base[0]).toMatch(
      /^Remote file `http:\/\/127.0.0.1:9\/ci.yml` could not be fetched/,
    )
    expect((await start('gone.yml')).body.message.base).toEqual(['Missing CI config file'])
  })
})

test('two pipelines that are created at the same time have different numbers', async () => {
  const project = await projectWith('workflow: {name: No $CI_PIPELINE_IID}\na: {script: [x]}')
  const made = await Promise.all(
    [1, 2, 3].map(() => root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })),
  )
  const numbered = made.map(({ body }) => [body.iid, body.name]).toSorted()
  expect(numbered).toEqual([1, 2, 3].map((iid) => [iid, `No ${iid}`]))
})
