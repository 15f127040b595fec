import { gzipSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { dependenciesOf, hasAllDependencies } from '../../../server/domains/ci/artifacts/dependencies.ts'
import { exportsFor } from '../../../server/domains/ci/artifacts/exports.ts'
import { byId } from '../../../server/domains/ci/jobs/store.ts'
import { world } from '../../support/world.ts'
import { pipelinesOf, upload, zipOf, type MadeJob } from './artifact-world.ts'

const here = await world()
const developer = here.make.user()
const project = await here.make.project({ visibility: 'private' })
await here.make.member('projects', project.id, developer, 30)
const { pipeline, job, set } = pipelinesOf(here, project, developer)
const row = (job: MadeJob) => byId(here.ctx().db, job.id)!
const exported = (job: MadeJob) =>
  Object.fromEntries(exportsFor(here.ctx(), row(job)).map(({ key, value }) => [key, value]))
const names = (job: MadeJob) => dependenciesOf(here.ctx(), row(job)).map((other) => other.name)

function dotenv(job: MadeJob, ...files: (string | Buffer)[]) {
  const content = Buffer.concat(files.map((file) => gzipSync(file)))
  return upload(here, job, content, { artifact_type: 'dotenv', artifact_format: 'gzip' }, '.env.gz')
}

describe('a dotenv report', () => {
  it('passes its variables to the jobs that depend on its job', async () => {
    const own = pipeline()
    const first = job(own, { name: 'first', stage_index: 1 })
    const second = job(own, { name: 'second', stage_index: 2 })
    const third = job(own, { name: 'third', stage_index: 3 })
    expect(
      (await dotenv(first, 'VERSION=1.2.3\nURL = https://a.test/?b=c \nEMPTY=', 'MORE=x\n')).status,
    ).toBe(201)
    expect(
      (
        await dotenv(
          second,
          Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('VERSION=2\r\n', 'utf16le')]),
        )
      ).status,
    ).toBe(201)
    const all = { VERSION: '1.2.3', URL: 'https://a.test/?b=c', EMPTY: '', MORE: 'x' }
    expect(exported(second)).toEqual(all)
    expect(exported(third)).toEqual({ ...all, VERSION: '2' })
    expect(exported(first)).toEqual({})
    const stored = here
      .ctx()
      .db.many<{ value: string }>('SELECT value FROM ci_job_exports WHERE job_id = ?', first.id)
    for (const { value } of stored) expect(value).toMatch(/^v1:/)
  })

  it('is checked against the format, and rejected as a whole', async () => {
    const answerTo = async (...files: (string | Buffer)[]) => {
      const ciJob = job(pipeline())
      const { status, body } = await dotenv(ciJob, ...files)
      const left = here.ctx().db.one('SELECT 1 FROM ci_artifacts WHERE job_id = ?', ciJob.id)
      expect(left === undefined).toBe(status !== 201)
      return [status, body.message]
    }
    const invalid = [400, 'Invalid Format']
    for (const text of ['no equals', 'A=1\n\nB=2', '# comment', 'A=1\nmore'])
      expect(await answerTo(text)).toEqual(invalid)
    expect(await answerTo(Buffer.from([65, 61, 0xff, 0xff]))).toEqual(invalid)
    const name = [400, "Validation failed: Key can contain only letters, digits and '_'."]
    for (const text of ['=1', 'A-B=1', 'ä=1', 'A B=1']) expect(await answerTo(text)).toEqual(name)
    const many = (count: number) => Array.from({ length: count }, (_, at) => `K${at}=1`).join('\n')
    expect(await answerTo(many(20))).toEqual([201, undefined])
    expect(await answerTo(many(21))).toEqual([400, 'Dotenv files cannot have more than 20 variables'])
    const large = [400, 'Dotenv Artifact Too Big. Maximum Allowable Size: 5120']
    expect(await answerTo(`A=${'x'.repeat(5118)}`)).toEqual([201, undefined])
    expect(await answerTo(`A=${'x'.repeat(5119)}`)).toEqual(large)
    expect(await answerTo(`A=${'x'.repeat(3000)}`, `B=${'x'.repeat(3000)}`)).toEqual(large)
    expect(await answerTo('A=1'.repeat(1_000_000))).toEqual(large)
    const receiver = job(pipeline())
    const { body } = await upload(here, receiver, Buffer.from('A=1'), {
      artifact_type: 'dotenv',
      artifact_format: 'gzip',
    })
    expect(body).toEqual({ message: 'Invalid Format' })
  })
})

describe('the dependencies of a job', () => {
  const own = pipeline()
  const needs = (...list: object[]) => list.map((need) => ({ artifacts: true, optional: false, ...need }))
  const build = job(own, { name: 'build', stage_index: 1 })
  const lint = job(own, { name: 'lint', stage_index: 1 })
  job(own, { name: 'lint', stage_index: 1, retried: true })

  it('are all jobs of earlier stages, or the jobs that it names', async () => {
    await upload(here, build, await zipOf({ a: 'a' }))
    const plain = job(own, { name: 'plain', stage_index: 2 })
    expect(dependenciesOf(here.ctx(), row(plain))).toEqual([
      {
        id: build.id,
        name: 'build',
        artifacts_file: { filename: 'artifacts.zip', size: expect.any(Number) },
      },
      { id: lint.id, name: 'lint' },
    ])
    const with_ = (columns: object) => job(own, { name: 'other', stage_index: 2, ...columns })
    expect(names(with_({ options: { dependencies: ['lint', 'none'] } }))).toEqual(['lint'])
    expect(names(with_({ options: { dependencies: [] } }))).toEqual([])
    expect(names(with_({ needs: [] }))).toEqual([])
    expect(names(with_({ needs: needs({ name: 'build' }, { name: 'lint', artifacts: false }) }))).toEqual([
      'build',
    ])
    const both = { needs: needs({ name: 'build' }, { name: 'lint' }), options: { dependencies: ['lint'] } }
    expect(names(with_(both))).toEqual(['lint'])
    expect(names(with_({ needs: needs({ name: 'build' }), options: { dependencies: [] } }))).toEqual([])
  })

  it('must not have expired or been erased', async () => {
    const other = pipeline()
    const first = job(other, { name: 'first', stage_index: 1, status: 'success' })
    const next = job(other, { name: 'next', stage_index: 2 })
    const complete = () => hasAllDependencies(here.ctx(), row(next))
    expect(complete()).toBe(true)
    set(first.id, { artifacts_expire_at: '2020-01-01T00:00:00.000Z' })
    expect(complete()).toBe(false)
    set(first.id, { artifacts_expire_at: null, erased_at: here.ctx().now })
    expect(complete()).toBe(false)
  })

  it('can be in related pipelines', async () => {
    const parent = pipeline()
    const child = pipeline({ source: 'parent_pipeline', upstream_pipeline_id: parent })
    const stranger = job(pipeline(), { name: 'pack', status: 'success' })
    const above = job(parent, { name: 'pack', status: 'success' })
    const from = (text: string) => {
      const cross_pipeline = [{ pipeline: text, job: 'pack', artifacts: true }]
      return job(child, {
        name: 'use',
        needs: [],
        options: { other_needs: { cross_pipeline, cross_project: [], bridge: null } },
      })
    }
    const named = from(String(parent))
    expect(dependenciesOf(here.ctx(), row(named)).map((dependency) => dependency.id)).toEqual([above.id])
    const expanded = from('$PARENT')
    const { db } = here.ctx()
    db.exec(
      'UPDATE ci_job_details SET variables = ? WHERE job_id = ?',
      JSON.stringify([{ key: 'PARENT', value: String(parent) }]),
      expanded.id,
    )
    expect(dependenciesOf(here.ctx(), row(expanded)).map((dependency) => dependency.id)).toEqual([above.id])
    for (const text of [String(stranger.pipeline_id), 'none', '']) {
      const lost = from(text)
      expect(names(lost)).toEqual([])
      expect(hasAllDependencies(here.ctx(), row(lost))).toBe(false)
    }
  })

  it('can be in another project that the user of the job can read', async () => {
    const other = await here.make.project({ visibility: 'private' })
    const theirs = pipelinesOf(here, other, here.root)
    const packed = theirs.job(theirs.pipeline({ status: 'success' }), { name: 'pack' })
    await upload(here, packed, await zipOf({ a: 'a' }))
    const cross_project = [{ project: other.path_with_namespace, job: 'pack', ref: 'main', artifacts: true }]
    const options = { other_needs: { cross_pipeline: [], cross_project, bridge: null } }
    const ciJob = job(own, { name: 'fetch', needs: [], options })
    const status = async () =>
      (await here.as(null).get(`/jobs/${packed.id}/artifacts`, { 'job-token': ciJob.token })).status
    expect([names(ciJob), hasAllDependencies(here.ctx(), row(ciJob)), await status()]).toEqual([
      [],
      false,
      403,
    ])
    await here.make.member('projects', other.id, developer, 20)
    await here.as(here.root).put(`/projects/${project.id}`, { ci_job_token_scope_enabled: false })
    expect([names(ciJob), hasAllDependencies(here.ctx(), row(ciJob)), await status()]).toEqual([
      ['pack'],
      true,
      200,
    ])
    await here.as(here.root).put(`/projects/${project.id}`, { ci_job_token_scope_enabled: true })
    expect([names(ciJob), await status()]).toEqual([[], 403])
  })
})
