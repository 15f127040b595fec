import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { pipelinesOf } from '../../ci/creation-world.ts'

let now = Date.parse('2026-03-01T00:00:00Z')
const w = await world({ clock: { now: () => now } })
const root = w.as(w.root)
const { projectWith } = pipelinesOf(w)
const settings = async (params: object) =>
  expect(await root.put('/application/settings', params)).toMatchObject({ status: 200 })
const lint = async (content: string) =>
  (await root.post('/ci/lint', { content })).body as { status: string; errors: string[] }

const JOB = 'job: { script: [echo] }\n'

describe('the size of CI configurations', () => {
  const nested = (depth: number) => `${JOB}.x: ${'['.repeat(depth)}${']'.repeat(depth)}\n`

  it('max_yaml_size_bytes: limits one file', async () => {
    const text = `${JOB}.x: [${Array.from({ length: 200 }, (_, n) => n).join(', ')}]\n`
    expect((await lint(text)).errors).toEqual([])
    await settings({ max_yaml_size_bytes: 1000 })
    expect((await lint(text)).errors).toEqual(['The parsed YAML is too big'])
    await settings({ max_yaml_size_bytes: 1_048_576 })
    expect((await lint(text)).errors).toEqual([])
  })

  it('max_yaml_depth: limits nested lists and maps', async () => {
    expect((await lint(nested(90))).errors).toEqual([])
    await settings({ max_yaml_depth: 50 })
    expect((await lint(nested(90))).errors).toEqual(['The parsed YAML is too big'])
    await settings({ max_yaml_depth: 150 })
    expect((await lint(nested(140))).errors).toEqual([])
    await settings({ max_yaml_depth: 100 })
    expect((await lint(nested(140))).errors).toEqual(['The parsed YAML is too big'])
  })

  it('ci_max_includes and ci_max_total_yaml_size_bytes: limit included files', async () => {
    const names = ['Bash', 'Python', 'Nodejs']
    const text = `include: [${names.map((name) => `{ template: ${name}.gitlab-ci.yml }`).join(', ')}]\n${JOB}`
    expect((await lint(text)).errors).toEqual([])
    await settings({ ci_max_includes: 2 })
    expect((await lint(text)).errors).toEqual(['Maximum of 2 nested includes are allowed!'])
    await settings({ ci_max_includes: 150, ci_max_total_yaml_size_bytes: 200 })
    expect((await lint(text)).errors).toEqual(['The parsed YAML is too big'])
    await settings({ ci_max_total_yaml_size_bytes: 314_572_800 })
    expect((await lint(text)).errors).toEqual([])
  })
})

it('archive_builds_in_human_readable: makes old jobs read-only', async () => {
  const project = await projectWith('job: { script: [echo] }\nlater: { script: [echo], when: manual }\n')
  const at = `/projects/${project.id}`
  const { body: pipeline } = await root.post(`${at}/pipeline`, { ref: 'main' })
  const { body: jobs } = await root.get(`${at}/pipelines/${pipeline.id}/jobs`)
  const [later, job] = ['later', 'job'].map((name) => jobs.find((job: { name: string }) => job.name === name))
  await root.post(`${at}/jobs/${job.id}/cancel`)
  await settings({ archive_builds_in_human_readable: '2 days' })
  now += 3 * 86_400_000
  const retried = await root.post(`${at}/jobs/${job.id}/retry`)
  expect([retried.status, retried.body]).toEqual([403, { message: '403 Forbidden - Job is not retryable' }])
  expect((await root.post(`${at}/jobs/${later.id}/play`)).status).toBe(403)
  await root.post(`${at}/pipelines/${pipeline.id}/retry`)
  expect((await root.get(`${at}/pipelines/${pipeline.id}/jobs`)).body).toHaveLength(2)
  await settings({ archive_builds_in_human_readable: '' })
  expect((await root.post(`${at}/jobs/${job.id}/retry`)).status).toBe(201)
})

describe('external pipeline validation', () => {
  const requests: { headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = []
  let answer: number | undefined = 200
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      requests.push({ headers: request.headers, body: JSON.parse(text) })
      if (answer !== undefined) response.writeHead(answer).end()
    })
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  let at: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const project = await projectWith('job: { script: [make], image: alpine }\n')
    at = `/projects/${project.id}`
    await settings({
      allow_local_requests_from_web_hooks_and_services: true,
      external_pipeline_validation_service_url: `http://127.0.0.1:${port}/check`,
      external_pipeline_validation_service_token: 'sesame',
    })
  })

  it('external_pipeline_validation_service_url: receives the pipeline, and may refuse it', async () => {
    expect((await root.post(`${at}/pipeline`, { ref: 'main' })).status).toBe(201)
    expect(requests[0]).toMatchObject({
      headers: { 'x-gitlab-token': 'sesame' },
      body: {
        user: { username: 'root' },
        pipeline: { ref: 'main' },
        total_builds_count: 1,
        builds: [{ name: 'job', stage: 'test', image: 'alpine', script: ['make'] }],
      },
    })
    answer = 406
    const refused = await root.post(`${at}/pipeline`, { ref: 'main' })
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { base: ['External validation failed'] } },
    ])
    answer = 500
    expect((await root.post(`${at}/pipeline`, { ref: 'main' })).status).toBe(201)
  })

  it('external_pipeline_validation_service_timeout: creates the pipeline after the timeout', async () => {
    answer = undefined
    await settings({ external_pipeline_validation_service_timeout: 1 })
    const before = requests.length
    expect((await root.post(`${at}/pipeline`, { ref: 'main' })).status).toBe(201)
    expect(requests).toHaveLength(before + 1)
    await settings({ external_pipeline_validation_service_url: '' })
    expect((await root.post(`${at}/pipeline`, { ref: 'main' })).status).toBe(201)
    expect(requests).toHaveLength(before + 1)
  })
})
