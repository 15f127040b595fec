import { gunzipSync, gzipSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { expire } from '../../../server/domains/ci/artifacts/expiry.ts'
import { forgetOldFailures } from '../../../server/domains/ci/reports/service.ts'
import { world } from '../../support/world.ts'
import { pipelinesOf, upload, type MadeJob } from './artifact-world.ts'

const here = await world()
const developer = here.make.user()
const guest = here.make.user()
const project = await here.make.project({ visibility: 'private' })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, guest, 10)
const { pipeline, job, set } = pipelinesOf(here, project, developer)
const as = here.as(developer)

/** Uploads a JUnit report with several gzip members, as runners do. */
async function report(job: MadeJob, ...documents: (string | Buffer)[]): Promise<void> {
  const content = Buffer.concat(documents.map((document) => gzipSync(document, { level: 1 })))
  const query = { artifact_type: 'junit', artifact_format: 'gzip' }
  expect((await upload(here, job, content, query, 'junit.xml.gz')).status).toBe(201)
}

/** Creates a pipeline with jobs that have reports; returns the path of the pipeline. */
async function run(reports: Record<string, (string | Buffer)[]>, ref = 'main'): Promise<string> {
  const id = pipeline({ ref })
  for (const [name, documents] of Object.entries(reports)) {
    const matrix = name.includes('[') ? [{ key: 'A', value: 'a' }] : []
    const ciJob = job(id, { name, options: { parallel: { index: 1, total: 2, matrix } } })
    set(ciJob.id, { ref })
    await report(ciJob, ...documents)
  }
  await here.drain()
  return `/projects/${project.id}/pipelines/${id}`
}

const suite = (...cases: string[]) => `<testsuite name="s">${cases.join('')}</testsuite>`
const passing = '<testcase name="adds" classname="math" file="math.rb" time="0.25"/>'
const failing =
  '<testcase name="divides" classname="math" time="1.5"><failure message="by zero">expected &lt;1&gt;</failure></testcase>'

describe('a test report', () => {
  it('returns the test results of all jobs', async () => {
    const at = await run({
      unit: [
        `<?xml version="1.0" encoding="UTF-8"?><testsuites>${suite(passing, failing)}</testsuites>`,
        suite(
          '<testcase name="later" time="0"><skipped message="not yet"/></testcase>',
          '<testcase name="breaks"><error><![CDATA[a < b]]></error><system-out>[[ATTACHMENT|shots/a b.png]]</system-out></testcase>',
        ),
      ],
    })
    const { status, body } = await as.get(`${at}/test_report`)
    expect(status).toBe(200)
    const counts = {
      total_time: 1.75,
      total_count: 4,
      success_count: 1,
      failed_count: 1,
      skipped_count: 1,
      error_count: 1,
    }
    const common = { classname: '', file: null, execution_time: 0, stack_trace: null, recent_failures: null }
    const id = (await as.get(`${at}/jobs`)).body[0].id
    expect(body).toEqual({
      ...counts,
      test_suites: [
        {
          name: 'unit',
          ...counts,
          suite_error: null,
          test_cases: [
            {
              ...common,
              status: 'error',
              name: 'breaks',
              system_output: 'a < b',
              attachment_url: `${here.url}/${project.path_with_namespace}/-/jobs/${id}/artifacts/file/shots/a%20b.png`,
            },
            {
              ...common,
              status: 'failed',
              name: 'divides',
              classname: 'math',
              execution_time: 1.5,
              system_output: 'expected <1>',
              recent_failures: { count: 1, base_branch: 'main' },
              attachment_url: null,
            },
            {
              ...common,
              status: 'success',
              name: 'adds',
              classname: 'math',
              file: 'math.rb',
              execution_time: 0.25,
              system_output: null,
              attachment_url: null,
            },
            { ...common, status: 'skipped', name: 'later', system_output: 'not yet', attachment_url: null },
          ],
        },
      ],
    })
    const { suite_error: _none, ...rest } = { ...counts, suite_error: null }
    expect((await as.get(`${at}/test_report_summary`)).body).toEqual({
      total: { time: 1.75, count: 4, success: 1, failed: 1, skipped: 1, error: 1, suite_error: null },
      test_suites: [{ name: 'unit', ...rest, build_ids: [id], suite_error: null }],
    })
  })

  it('combines the copies of a parallel job, but not the jobs of a matrix', async () => {
    const at = await run({
      'rspec 1/2': [suite(passing)],
      'rspec 2/2': [suite(failing)],
      'build: [a 1/2]': [suite(passing)],
      'build: [1 2]': [suite(passing)],
    })
    const { body } = await as.get(`${at}/test_report`)
    expect(
      body.test_suites.map((suite: { name: string; total_count: number }) => [suite.name, suite.total_count]),
    ).toEqual([
      ['rspec', 2],
      ['build: [a 1/2]', 1],
      ['build: [1 2]', 1],
    ])
    expect(body.test_suites[0].test_cases.map((testCase: { status: string }) => testCase.status)).toEqual([
      'failed',
      'success',
    ])
    const summary = (await as.get(`${at}/test_report_summary`)).body
    expect(summary.test_suites[0].build_ids).toHaveLength(2)
  })

  it('omits retried jobs and erased reports', async () => {
    const id = pipeline()
    const first = job(id, { name: 'unit', retried: true })
    await report(first, suite(failing))
    const second = job(id, { name: 'unit' })
    await report(second, suite(passing))
    await here.drain()
    const at = `/projects/${project.id}/pipelines/${id}/test_report`
    expect((await as.get(at)).body).toMatchObject({ total_count: 1, failed_count: 0 })
    await here.as(here.root).delete(`/projects/${project.id}/jobs/${second.id}/artifacts`)
    expect((await as.get(at)).body).toMatchObject({ total_count: 0, test_suites: [] })
  })

  it('is deleted with the files of its job, but the summary stays', async () => {
    const at = await run({ unit: [suite(passing, failing)] })
    const { db } = here.ctx()
    db.exec("UPDATE ci_artifact_ends SET ends_at = '2020-01-01T00:00:00.000Z'")
    await expire(here.ctx())
    expect((await as.get(`${at}/test_report`)).body).toMatchObject({ total_count: 0, test_suites: [] })
    expect((await as.get(`${at}/test_report_summary`)).body).toMatchObject({
      total: { count: 2, failed: 1 },
      test_suites: [{ name: 'unit', total_count: 2 }],
    })
  })

  it('counts the recent failures of a test on the default branch', async () => {
    const test = '<testcase name="flaky" classname="net"><failure>once more</failure></testcase>'
    const at = []
    for (const ref of ['main', 'main', 'topic', 'main']) at.push(await run({ net: [suite(test)] }, ref))
    const recent = async (path: string) =>
      (await as.get(`${path}/test_report`)).body.test_suites[0].test_cases[0].recent_failures
    expect(await recent(at[2]!)).toEqual({ count: 3, base_branch: 'main' })
    const { db, now } = here.ctx()
    const old = new Date(Date.parse(now) - 15 * 86_400_000).toISOString()
    db.exec('UPDATE ci_test_failures SET failed_at = ?', old)
    expect(await recent(at[2]!)).toBe(null)
    await forgetOldFailures(here.ctx())
    expect(db.one('SELECT 1 FROM ci_test_failures')).toBeUndefined()
  })

  it('returns the error of broken reports', async () => {
    const errors = async (...documents: string[]) => {
      const { body } = await as.get(`${await run({ unit: documents })}/test_report`)
      expect(body).toMatchObject({ total_count: 0, test_suites: [{ test_cases: [] }] })
      return body.test_suites[0].suite_error
    }
    expect(await errors('<testsuite><testcase></testsuite>')).toMatch(
      /^JUnit XML parsing failed: 1:\d+: Expected closing tag/,
    )
    expect(await errors(suite(passing), 'no xml')).toMatch(/^JUnit XML parsing failed: /)
    expect(await errors(`${'<testsuite>'.repeat(300)}${'</testsuite>'.repeat(300)}`)).toMatch(
      /^JUnit data parsing failed: /,
    )
    const id = pipeline()
    const ciJob = job(id, { name: 'unit' })
    const query = { artifact_type: 'junit', artifact_format: 'gzip' }
    await upload(here, ciJob, Buffer.from('no gzip'), query)
    await here.drain()
    const { body } = await as.get(`/projects/${project.id}/pipelines/${id}/test_report_summary`)
    expect(body.test_suites[0].suite_error).toBe('JUnit XML parsing failed: the file is no gzip')
  })

  it('ignores the declarations of an XML document', async () => {
    const document = (entities: string) =>
      `<?xml version="1.0"?><!DOCTYPE t [${entities}]>${suite('<testcase name="x"><failure>&b;</failure></testcase>')}`
    const inner = document('<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">')
    const { body } = await as.get(`${await run({ unit: [inner] })}/test_report`)
    expect(body.test_suites[0].test_cases[0].system_output).toBe('&b;')
    const outer = document('<!ENTITY b SYSTEM "file:///etc/passwd">')
    const refused = await as.get(`${await run({ unit: [outer] })}/test_report`)
    expect(refused.body.test_suites[0]).toMatchObject({
      test_cases: [],
      suite_error: expect.stringMatching(/^JUnit data parsing failed/),
    })
  })

  it('is truncated if very large, and a decompression bomb is not unpacked', async () => {
    const output = `<failure>${'x'.repeat(100_000)}</failure>`
    const at = await run({ unit: [suite(`<testcase name="long">${output}</testcase>`)] })
    const { body } = await as.get(`${at}/test_report`)
    expect(body.test_suites[0].test_cases[0].system_output).toHaveLength(64 * 1024)
    const bomb = await run({ unit: [Buffer.alloc(33 * 1024 * 1024, ' ')] })
    expect((await as.get(`${bomb}/test_report`)).body.test_suites[0].suite_error).toBe(
      'JUnit data parsing failed: the reports are too large',
    )
  })

  it('can be downloaded unchanged', async () => {
    const ciJob = job(pipeline())
    await report(ciJob, suite(passing))
    const at = `${here.url}/api/v4/projects/${project.id}/jobs/${ciJob.id}/artifacts`
    const headers = { 'private-token': developer.token }
    const answer = await fetch(`${at}?file_type=junit`, { headers })
    expect(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()).toBe(suite(passing))
    expect(answer.headers.get('content-type')).toBe('application/gzip')
    expect((await fetch(at, { headers })).status).toBe(404)
    expect((await fetch(`${at}?file_type=none`, { headers })).status).toBe(400)
  })

  it('is readable for users who can read jobs', async () => {
    const at = await run({})
    const empty = { total_count: 0, test_suites: [] }
    expect((await here.as(guest).get(`${at}/test_report`)).body).toMatchObject(empty)
    expect((await here.as(null).get(`${at}/test_report`)).status).toBe(404)
    await here.as(here.root).put(`/projects/${project.id}`, { public_jobs: false })
    for (const path of [`${at}/test_report`, `${at}/test_report_summary`])
      expect((await here.as(guest).get(path)).status).toBe(403)
    const elsewhere = await here.make.project({ owner: developer })
    for (const path of [
      `/projects/${elsewhere.id}${at.slice(at.indexOf('/pipelines'))}`,
      `/projects/${project.id}/pipelines/4000000000`,
    ])
      expect((await as.get(`${path}/test_report`)).status).toBe(404)
  })
})
