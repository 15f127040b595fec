import { git, sha } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

export interface Author {
  readonly name: string
  readonly email: string
  /** Without merges. */
  readonly commits: number
}

/**
 * The authors of a commit's history (full id), without merges, most commits first. Authors are identified by email
 * address, after the `.mailmap` of that commit. The result is cached.
 */
export async function listAuthors(
  repo: Repo,
  commit: string,
  options: { signal?: AbortSignal } = {},
): Promise<readonly Author[]> {
  const known = repo.git.cache.get<readonly Author[]>(repo, 'authors', commit)
  if (known !== undefined) return known
  const { stdout } = await run(repo, 'authors', git`shortlog -s -n -e --no-merges ${sha(commit)} --`, {
    // By default a bare repository uses the file of its default branch.
    config: [['mailmap.blob', `${commit}:.mailmap`]],
    signal: options.signal,
  })
  const content = byAddress(stdout.toString('utf8'))
  return repo.git.cache.set(repo, 'authors', commit, { content, bytes: 300 + 250 * content.length })
}

/**
 * Reads lines such as ` 12\tAda Author <ada@example.com>`. Of several names of one author, the most used one counts.
 */
function byAddress(text: string): Author[] {
  const authors = new Map<string, Author>()
  for (const line of text.split('\n')) {
    const [, count, name = '', email = ''] = /^ *(\d+)\t(.*) <([^<]*)>$/.exec(line) ?? []
    if (count === undefined) continue
    const key = email.toLowerCase() || name
    const known = authors.get(key)
    if (known) authors.set(key, { ...known, commits: known.commits + Number(count) })
    else authors.set(key, { name, email, commits: Number(count) })
  }
  return Array.from(authors.values()).sort((a, b) => b.commits - a.commits)
}
