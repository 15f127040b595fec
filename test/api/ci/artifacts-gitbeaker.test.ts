import { gzipSync } from 'node:zlib'

import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { pipelinesOf, upload, zipOf } from './artifact-world.ts'

// Checks that the unmodified client works with the instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const project = await here.make.project()
const { pipeline, job } = pipelinesOf(here, project, here.root)

it('@gitbeaker/rest downloads, keeps and deletes job artifacts', async () => {
  const id = pipeline({ ref: 'a/b', status: 'success' })
  const ciJob = job(id, { name: 'pack it' })
  const archive = await zipOf({ 'out/a b.txt': 'text' })
  await upload(here, ciJob, archive)
  const fetch = (options: object) => api.JobArtifacts.downloadArchive(project.id, options as never)
  expect(((await fetch({ jobId: ciJob.id })) as unknown as Blob).size).toBe(archive.length)
  expect(await fetch({ jobId: ciJob.id, artifactPath: 'out/a b.txt' })).toBe('text')
  const ofRef = { ref: 'a/b', job: 'pack it' }
  expect(await fetch({ ...ofRef, artifactPath: 'out/a b.txt' })).toBe('text')
  const answer = await api.JobArtifacts.keep(project.id, ciJob.id)
  expect(answer).toMatchObject({ id: ciJob.id, artifacts_expire_at: null })
  const report = gzipSync('<testsuite><testcase name="a"/></testsuite>')
  await upload(here, ciJob, report, { artifact_type: 'junit', artifact_format: 'gzip' })
  await here.drain()
  expect(await api.Pipelines.showTestReport(project.id, id)).toMatchObject({ total_count: 1 })
  expect(await api.Pipelines.showTestReportSummary(project.id, id)).toMatchObject({ total: { count: 1 } })
  await api.JobArtifacts.remove(project.id, { jobId: ciJob.id })
  await expect(fetch({ jobId: ciJob.id })).rejects.toThrow('Not Found')
})
