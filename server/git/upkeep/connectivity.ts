import { git } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The first error of git about missing objects that refs need; undefined if the repository is intact. */
export async function damageIn(repo: Repo): Promise<string | undefined> {
  const { code, stdout, stderr } = await run(
    repo,
    'repository.connectivity',
    git`fsck --connectivity-only --no-dangling --no-progress`,
    { ok: Array.from({ length: 129 }, (_, index) => index), timeoutMs: 3_600_000 },
  )
  if (code === 0) return undefined
  const [line] = `${stderr}\n${stdout.toString('utf8')}`.split('\n').filter((entry) => entry.trim() !== '')
  return line ?? 'git could not read it'
}
