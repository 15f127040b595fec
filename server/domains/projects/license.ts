import type { Ctx } from '../../ctx.ts'
import { readBlob } from '../../git/blob.ts'
import { branchTip } from '../../git/revisions.ts'
import { listTree, type TreeEntry } from '../../git/tree.ts'
import type { Repo } from '../../git/types.ts'
import { recognise, type License } from './license-texts.ts'
import type { Project } from './project.ts'
import { repoOf } from './repository.ts'

/** The licence of a project, and the file that holds it. */
export interface FoundLicense {
  readonly path: string
  readonly shown: License
}

/** Files that hold a licence, the likeliest first. */
const NAMES: readonly RegExp[] = [
  /^(un)?licen[sc]e$/i,
  /^(un)?licen[sc]e\.(md|markdown|txt|rst|adoc|html)$/i,
  /^copying(\.(md|markdown|txt))?$/i,
  /^(un)?licen[sc]e[.-][\w.-]+$/i,
  /^copying[.-][\w.-]+$/i,
]
/** A licence is a text for people; what is larger is something else. */
const MAX_BYTES = 256 * 1024

function choose(entries: readonly TreeEntry[]): TreeEntry | undefined {
  const files = entries.filter((entry) => entry.type === 'blob')
  for (const pattern of NAMES) {
    const found = files.find((entry) => pattern.test(entry.name))
    if (found) return found
  }
  return undefined
}

/** The licence in the default branch as it is now, or null. Commits, trees and small files are remembered by git's door. */
export async function licenseOf(ctx: Ctx, project: Project): Promise<FoundLicense | null> {
  if (project.empty_repo) return null
  try {
    return await findLicense(repoOf(ctx, project), project.default_branch)
  } catch (error) {
    // A repository that cannot be read must not hide the project.
    ctx.log.warn({ err: error, project_id: project.id }, 'the licence of a project could not be read')
    return null
  }
}

async function findLicense(repo: Repo, branch: string): Promise<FoundLicense | null> {
  const tip = await branchTip(repo, branch)
  const entry = tip === null ? undefined : choose((await listTree(repo, tip))?.entries ?? [])
  if (!entry) return null
  const blob = await readBlob(repo, entry.id, { maxBytes: MAX_BYTES })
  return blob && { path: entry.path, shown: recognise(blob.content.toString('utf8')) }
}
