import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Name and email of the user in the machine's git configuration; blank when unknown. */
export function gitIdentity(home: string = homedir()): { name: string; email: string } {
  const identity = { name: '', email: '' }
  for (const file of [join(home, '.config', 'git', 'config'), join(home, '.gitconfig')]) {
    let section = ''
    for (const line of readLines(file)) {
      const head = /^\s*\[([^\]]+)\]/.exec(line)
      if (head) section = head[1]!.trim().toLowerCase()
      const entry = /^\s*(name|email)\s*=\s*(.*?)\s*$/i.exec(line)
      if (section === 'user' && entry)
        identity[entry[1]!.toLowerCase() as 'name' | 'email'] = entry[2]!.replace(/^"|"$/g, '')
    }
  }
  return identity
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
