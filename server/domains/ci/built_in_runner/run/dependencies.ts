import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { unpack } from '../files/unpack.ts'
import type { Dependency } from '../payload.ts'
import { RunProblem, type RunPlace } from './place.ts'

const ATTEMPTS = 3

/** True where another job has files for this one. */
export function hasFiles(dependency: Dependency): boolean {
  return Boolean(dependency.artifacts_file?.filename)
}

/** Brings the files of the jobs before into the project (spec ci 1.12). Throws `RunProblem` when they cannot be had. */
export async function downloadArtifacts(place: RunPlace): Promise<void> {
  for (const dependency of place.payload.dependencies.filter(hasFiles)) {
    const { id, name } = dependency
    place.trace.write(`\x1b[32;1mDownloading artifacts for ${name} (${id})...\x1b[0;m\n`)
    const archive = join(place.workspace.tmp, `artifacts-${id}.zip`)
    await download(place, dependency, archive)
    await unpack(archive, place.workspace.project)
    await rm(archive, { force: true })
    place.trace.write(`Downloading artifacts from coordinator... ok        id=${id}\n`)
  }
}

async function download(place: RunPlace, { id, token }: Dependency, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await place.client.open({
      method: 'GET',
      path: `/jobs/${id}/artifacts`,
      headers: { 'job-token': token },
      signal: place.signal,
    })
    if (response.statusCode === 200) return pipeline(response, createWriteStream(to))
    response.resume()
    const text = `\x1b[31;1mERROR: Downloading artifacts from coordinator... ${response.statusCode}\x1b[0;m\n`
    place.trace.write(text)
    if (response.statusCode! < 500 || attempt === ATTEMPTS)
      throw new RunProblem('artifacts of another job could not be downloaded')
  }
}
