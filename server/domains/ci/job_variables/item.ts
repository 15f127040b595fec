/** A variable on its way to a job. */
export interface Item {
  readonly key: string
  readonly value: string
  /** Containers beside the job may know it too. */
  readonly isPublic?: boolean
  /** The runner hides its value in the log. */
  readonly isMasked?: boolean
  /** It comes as the path of a file with the value. */
  readonly isFile?: boolean
  /** Neither expanded nor expanded into others. */
  readonly isRaw?: boolean
}

type Values = Readonly<Record<string, string | number | null | undefined>>

/** Variables that hide nothing, in order; those without a value are left out. */
export function plain(values: Values): Item[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: String(value), isPublic: true }],
  )
}

/**
 * Texts that somebody wrote, such as a commit message. In a job they stand for themselves: with a `$` in them their author
 * would otherwise read variables of whoever runs the job.
 */
export function texts(values: Values): Item[] {
  return plain(values).map((item) => ({ ...item, isRaw: true }))
}

/** What must not be seen in logs. */
export function secrets(values: Values): Item[] {
  return plain(values).map(({ key, value }) => ({ key, value, isMasked: true }))
}

/** A moment as variables have it: without fractions of a second. */
export function moment(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}
