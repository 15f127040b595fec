import { git, sha } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Somebody who wrote commits. */
export interface Author {
  readonly name: string
  readonly email: string
  /** Commits that are no merges. */
  readonly commits: number
}

/**
 * Who wrote the history of a commit (full id), merges aside, most commits first. People are told apart by their address;
 * a `.mailmap` in that commit says who has several. Asked again, it is answered from memory.
 */
export async function listAuthors(
  repo: Repo,
  commit: string,
  options: { signal?: AbortSignal } = {},
): Promise<readonly Author[]> {
  const known = repo.git.cache.get<readonly Author[]>(repo, 'authors', commit)
  if (known !== undefined) return known
  const { stdout } = await run(repo, 'authors', git`shortlog -s -n -e --no-merges ${sha(commit)} --`, {
    // Without it a bare repository takes the file of its default branch.
    config: [['mailmap.blob', `${commit}:.mailmap`]],
    signal: options.signal,
  })
  const content = byAddress(stdout.toString('utf8'))
  return repo.git.cache.set(repo, 'authors', commit, { content, bytes: 300 + 250 * content.length })
}

/** Reads lines such as `    12\tAda Author <ada@example.com>`; who has several names goes by the one used most. */
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
