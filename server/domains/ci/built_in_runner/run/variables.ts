import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { JobPayload, PayloadVariable } from '../payload.ts'
import type { Workspace } from './workspace.ts'

/** The variables of a job for its programs. */
export class JobVariables {
  readonly #values: ReadonlyMap<string, string>

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values
  }

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  /** Expands variables in a text. Unknown variables are empty, as in other runners. */
  expand(text: string): string {
    return expand(text, this.#values)
  }

  /** The environment of programs: `base` and the variables of the job, which take precedence. */
  environment(base: Readonly<Record<string, string>>): Record<string, string> {
    const valid = [...this.#values].filter(([key, value]) => /^[^=\0]+$/.test(key) && !value.includes('\0'))
    return { ...base, ...Object.fromEntries(valid) }
  }
}

function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\{(\w+)\}|\$(\w+)/g, (match, braced?: string, plain?: string) =>
    match === '$$' ? '$' : (values.get(braced ?? plain ?? '') ?? ''),
  )
}

/**
 * The variables of a job and those that the runner adds. The value of a variable of type `file` is written to a file,
 * and the variable becomes its path.
 */
export async function variablesOf(
  payload: JobPayload,
  workspace: Workspace,
  runnerVariables: Readonly<Record<string, string>>,
): Promise<JobVariables> {
  const byKey = new Map<string, PayloadVariable>(
    payload.variables.map((variable) => [variable.key, variable]),
  )
  for (const [key, value] of Object.entries(runnerVariables)) byKey.set(key, { key, value, raw: true })
  const values = new Map<string, string>()
  for (const [key, variable] of byKey)
    values.set(key, variable.file ? pathOf(workspace, key) : variable.value)
  await mkdir(workspace.files, { recursive: true, mode: 0o700 })
  for (const [key, variable] of byKey) {
    if (variable.file) await writeFile(pathOf(workspace, key), variable.value, { mode: 0o600 })
    else if (!variable.raw && variable.value.includes('$')) values.set(key, expand(variable.value, values))
  }
  return new JobVariables(values)
}

/** The path of the file of a variable. Other characters than letters, digits and underscores are replaced. */
function pathOf({ files }: Workspace, key: string): string {
  return join(files, key.replace(/\W/g, '_'))
}

/** The values to mask in the log. */
export function secretsOf(payload: JobPayload): string[] {
  return [
    payload.token,
    ...payload.variables.filter((variable) => variable.masked).map((variable) => variable.value),
  ]
}
