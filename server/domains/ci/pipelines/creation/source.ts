import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import { configPath } from '../../job_variables/of-project.ts'
import { fileOf } from '../../../ci_config/index.ts'

const ELSEWHERE = /^(?<file>[^@]+)@(?<project>[^:]+)(?::(?<ref>.+))?$/

/**
 * The configuration of a project at a commit; null where there is none. One that lies in another project
 * (`path@group/project:ref`) or at an address is included by what is returned.
 */
export async function configOf(
  ctx: Ctx,
  project: Project,
  sha: string,
  path: string = configPath(project),
): Promise<string | null> {
  if (/^https?:\/\//i.test(path)) return including({ remote: path })
  const elsewhere = ELSEWHERE.exec(path)?.groups
  if (elsewhere) {
    const { file, project: other, ref } = elsewhere
    return including({ project: other, file, ...(ref === undefined ? {} : { ref }) })
  }
  const text = await fileOf(ctx, project, sha, path.replace(/^\/+/, ''))
  return text === null || text.trim() === '' ? null : text
}

/** JSON is YAML. */
function including(entry: Record<string, unknown>): string {
  return JSON.stringify({ include: [entry] })
}
