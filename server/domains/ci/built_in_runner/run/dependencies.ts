import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { unpack } from '../files/unpack.ts'
import type { Dependency } from '../payload.ts'
import { RunProblem, type RunContext } from './context.ts'

const ATTEMPTS = 3

/** True where another job has files for this one. */
export function hasFiles(dependency: Dependency): boolean {
  return Boolean(dependency.artifacts_file?.filename)
}

/** Brings the files of the jobs before into the project (spec ci 1.12). Throws `RunProblem` when they cannot be had. */
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

async function download(run: RunContext, { id, token }: Dependency, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await run.client.open({
      method: 'GET',
      path: `/jobs/${id}/artifacts`,
      headers: { 'job-token': token },
      signal: run.signal,
    })
    if (response.statusCode === 200) return pipeline(response, createWriteStream(to))
    response.resume()
    const text = `\x1b[31;1mERROR: Downloading artifacts from coordinator... ${response.statusCode}\x1b[0;m\n`
    run.trace.write(text)
    if (response.statusCode! < 500 || attempt === ATTEMPTS)
      throw new RunProblem('artifacts of another job could not be downloaded')
  }
}
