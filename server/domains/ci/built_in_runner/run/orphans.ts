import { readdir, readFile } from 'node:fs/promises'

/**
 * Ends programs that left the process group of their job: each has a folder of the runner in its environment. Where the
 * system does not show the environment of programs, nothing is found, and the group was all there was to end.
 */
export async function endStrays(folder: string): Promise<void> {
  if (process.platform !== 'linux') return
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids.map(Number)) {
    if (pid !== process.pid && (await isOf(pid, folder))) end(pid)
  }
}

async function isOf(pid: number, folder: string): Promise<boolean> {
  // Of other users nothing can be read; they are none of ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  const home = environment.split('\0').find((line) => line.startsWith('CI_PROJECT_DIR='))
  return home?.startsWith(`CI_PROJECT_DIR=${Buffer.from(folder).toString('latin1')}/`) ?? false
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
