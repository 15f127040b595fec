import type { Ctx } from '../../../../ctx.ts'
import { Failure } from '../../../../lib/fail.ts'
import { directoryOf } from '../../artifacts/archive/directory.ts'
import { openFile } from '../../artifacts/archive/extract.ts'
import type { ArtifactRow } from '../../artifacts/store.ts'
import type { Resolver } from '../../../ci_config/index.ts'

const MAX_BYTES = 1_500_000

/** Reads configurations that jobs of the pipeline above a child made, for `include: {artifact, job}` (spec ci 4.10). */
export function artifactsOfPipeline(ctx: Ctx, pipelineId: number): NonNullable<Resolver['artifact']> {
  return async (job, path) => {
    const archive = archiveOf(ctx, pipelineId, job)
    if (!archive)
      return { problem: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` }
    const missing = { problem: `Path \`${path}\` does not exist inside the \`${job}\` artifacts archive!` }
    try {
      const file = (await directoryOf(ctx, archive)).get(path.replace(/^\/+/, ''))
      if (!file || file.size > MAX_BYTES) return missing
      const parts: Buffer[] = []
      for await (const part of await openFile(ctx, archive, file)) parts.push(part as Buffer)
      return { text: Buffer.concat(parts).toString('utf8') }
    } catch (error) {
      ctx.log.debug({ err: error }, 'a configuration could not be read out of artifacts')
      return error instanceof Failure ? missing : { problem: `Job \`${job}\` artifacts could not be read!` }
    }
  }
}

function archiveOf({ db }: Ctx, pipelineId: number, job: string): ArtifactRow | undefined {
  return db.one<ArtifactRow>(
    `SELECT a.* FROM ci_jobs j JOIN ci_artifacts a ON a.job_id = j.id AND a.file_type = 'archive'
      WHERE j.pipeline_id = ? AND j.name = ? AND j.kind = 'job' AND j.retried = 0 ORDER BY j.id DESC LIMIT 1`,
    pipelineId,
    job,
  )
}
