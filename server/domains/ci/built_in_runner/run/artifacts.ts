import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { collect } from '../files/collect.ts'
import { bytesOf, gzipOf, zipOf } from '../files/pack.ts'
import { unpack } from '../../../../lib/archive/zip-unpack.ts'
import type { ArtifactUpload, Dependency } from '../payload.ts'
import { RunProblem, type RunContext } from './sources.ts'

const ATTEMPTS = 3

/** Whether files with this `when` are uploaded after a job with this result. */
export function matchesResult(when: string | null, isSuccess: boolean): boolean {
  return when === 'always' || (when === 'on_failure') === !isSuccess
}

/** Uploads the artifacts that fit the result of a job (spec ci 1.12). Throws RunProblem if the instance refuses them. */
export async function uploadArtifacts(run: RunContext, isSuccess: boolean): Promise<void> {
  for (const artifact of run.payload.artifacts ?? []) {
    if (!matchesResult(artifact.when, isSuccess)) continue
    const expand = (texts: readonly string[]): string[] => texts.map((text) => run.variables.expand(text))
    const selection = {
      paths: expand(artifact.paths ?? []),
      exclude: expand(artifact.exclude ?? []),
      untracked: artifact.untracked === true,
    }
    run.trace.write('\x1b[32;1mUploading artifacts...\x1b[0;m\n')
    const { files, notes } = await collect(run.workspace.project, selection, run.env)
    run.trace.write(notes.map((note) => `${note} \n`).join(''))
    if (files.length === 0) run.trace.write('\x1b[31;1mERROR: No files to upload\x1b[0;m\n')
    else await upload(run, artifact, files)
  }
}

async function upload(run: RunContext, artifact: ArtifactUpload, files: readonly string[]): Promise<void> {
  const { payload, client, trace, signal } = run
  const query = new URLSearchParams({
    artifact_format: artifact.artifact_format,
    artifact_type: artifact.artifact_type,
  })
  if (artifact.expire_in) query.set('expire_in', artifact.expire_in)
  for (let attempt = 1; ; attempt++) {
    const boundary = `----${payload.id}-${attempt}-${artifact.artifact_type}`
    const { status } = await client.call({
      method: 'POST',
      path: `/jobs/${payload.id}/artifacts?${query.toString()}`,
      headers: { 'job-token': payload.token, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Readable.from(multipart(boundary, fileName(run, artifact), contentOf(run, artifact, files))),
      signal,
    })
    const title = `Uploading artifacts as "${artifact.artifact_type}" to coordinator...`
    if (status === 201) {
      trace.write(`${title} \x1b[0;m201 Created\x1b[0;m id=${payload.id}\n`)
      return
    }
    trace.write(`\x1b[31;1mERROR: ${title} ${status}\x1b[0;m\n`)
    if (status === 413) throw new RunProblem('the artifacts are too large')
    if (status < 500 || attempt === ATTEMPTS) throw new RunProblem('the artifacts could not be uploaded')
  }
}

function contentOf(
  { workspace, variables }: RunContext,
  artifact: ArtifactUpload,
  files: readonly string[],
): Readable {
  if (artifact.artifact_format === 'zip')
    return zipOf(workspace.project, files, variables.get('ARTIFACT_COMPRESSION_LEVEL'))
  if (artifact.artifact_format === 'gzip') return gzipOf(workspace.project, files)
  return bytesOf(join(workspace.project, files[0]!))
}

function fileName({ variables }: RunContext, { name, artifact_format: format }: ArtifactUpload): string {
  const archiveName = variables.expand(name ?? '').replace(/[\r\n"\\]/g, '_') || 'artifacts'
  return format === 'raw' ? archiveName : `${archiveName}.${format === 'zip' ? 'zip' : 'gz'}`
}

async function* multipart(boundary: string, name: string, content: Readable): AsyncGenerator<Buffer> {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n`
  yield Buffer.from(`${head}Content-Type: application/octet-stream\r\n\r\n`)
  for await (const chunk of content) yield chunk as Buffer
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

/** Whether a dependency has files to download. */
export function hasFiles(dependency: Dependency): boolean {
  return Boolean(dependency.artifacts_file?.filename)
}

/** Downloads the artifacts of dependencies into the project (spec ci 1.12). Throws RunProblem if that fails. */
export async function downloadArtifacts(run: RunContext): Promise<void> {
  for (const dependency of run.payload.dependencies.filter(hasFiles)) {
    const { id, name } = dependency
    run.trace.write(`\x1b[32;1mDownloading artifacts for ${name} (${id})...\x1b[0;m\n`)
    const archive = join(run.workspace.tmp, `artifacts-${id}.zip`)
    await download(run, dependency, archive)
    await unpack(archive, run.workspace.project)
    await rm(archive, { force: true })
    run.trace.write(`Downloading artifacts from coordinator... ok        id=${id}\n`)
  }
}

async function download(run: RunContext, { id, token }: Dependency, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await run.client.open({
      method: 'GET',
      path: `/jobs/${id}/artifacts`,
      headers: { 'job-token': token },
      signal: run.signal,
    })
    if (response.statusCode === 200) return pipeline(response, createWriteStream(target))
    response.resume()
    const text = `\x1b[31;1mERROR: Downloading artifacts from coordinator... ${response.statusCode}\x1b[0;m\n`
    run.trace.write(text)
    if (response.statusCode! < 500 || attempt === ATTEMPTS)
      throw new RunProblem('artifacts of another job could not be downloaded')
  }
}
