import type { Ctx } from '../../ctx.ts'
import { readCommits } from '../../git/commits.ts'
import { findObject } from '../../git/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { isAble } from '../../policy/ability.ts'
import { abilities, fullPath, project as scope, repoOf, type Project } from '../projects/index.ts'
import { keyOf, type Asked, type FoundMap } from './found.ts'
import type { Wanted } from './wanted.ts'

/** More names than this are not looked up in one project for one text. */
const MAX_NAMES = 100

/** Commits, and pairs of them, that a text names in a project whose code the reader may see. */
export async function findCommits(ctx: Ctx, { project, wanted }: Asked): Promise<FoundMap> {
  const found: FoundMap = new Map()
  const commits = wanted.filter((one) => one.kind === 'commit')
  const ranges = wanted.filter((one) => one.kind === 'range')
  if (commits.length + ranges.length === 0 || project.repository_state !== 'ready') return found
  if (!isAble(ctx, scope, abilities.read_code, project)) return found
  const names = [...commits.map((one) => one.name), ...ranges.flatMap(endsOf)]
  const ids = await idsOf(repoOf(ctx, project), [...new Set(names)].slice(0, MAX_NAMES))
  const titles = await titlesOf(repoOf(ctx, project), commits, ids)
  for (const one of commits) {
    const id = ids.get(one.name)
    if (id) found.set(keyOf(project.id, one), commitShown(project, id, titles.get(id) ?? ''))
  }
  for (const one of ranges) {
    if (!endsOf(one).every((end) => ids.has(end))) continue
    const title = `Commits ${endsOf(one)[0]} through ${endsOf(one)[1]}`
    const page = `${fullPath(project)}/-/compare/${one.name}`
    found.set(keyOf(project.id, one), { page, title, short: one.name, kind: 'commit_range' })
  }
  return found
}

function endsOf(range: Wanted): string[] {
  return range.name.split(/\.{2,3}/)
}

/** Full ids of the commits whose id begins so; a branch of such a name is none of them. */
async function idsOf(repo: Repo, names: readonly string[]): Promise<Map<string, string>> {
  const found = await Promise.all(
    names.map(async (name) => {
      try {
        return { name, object: await findObject(repo, name, 'commit') }
      } catch {
        // A damaged repository, or one that is just being deleted: the text is shown without these links.
        return { name, object: null }
      }
    }),
  )
  return new Map(
    found.flatMap(({ name, object }) => (object?.oid.startsWith(name) ? [[name, object.oid] as const] : [])),
  )
}

async function titlesOf(
  repo: Repo,
  commits: readonly Wanted[],
  ids: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const known = [...new Set(commits.flatMap((one) => ids.get(one.name) ?? []))]
  if (known.length === 0) return new Map()
  return new Map((await readCommits(repo, known)).map((commit) => [commit.id, commit.title]))
}

function commitShown(project: Project, id: string, title: string) {
  return { page: `${fullPath(project)}/-/commit/${id}`, title, short: id.slice(0, 8) }
}
