/** The editable fields of a runner. */
export type RunnerForm = {
  description: string
  tags: string
  run_untagged: boolean
  protected: boolean
  locked: boolean
  paused: boolean
  /** Minutes; empty for none. */
  minutes: string
}

export const emptyFields = (): RunnerForm => ({
  description: '',
  tags: '',
  run_untagged: true,
  protected: false,
  locked: false,
  paused: false,
  minutes: '',
})

type Known = {
  description: string | null
  tag_list: readonly string[]
  run_untagged: boolean
  access_level: string
  locked: boolean
  paused: boolean
  maximum_timeout: number | null
}

/** The form of a runner that is there. */
export const fieldsOf = (runner: Known): RunnerForm => ({
  description: runner.description ?? '',
  tags: runner.tag_list.join(', '),
  run_untagged: runner.run_untagged,
  protected: runner.access_level === 'ref_protected',
  locked: runner.locked,
  paused: runner.paused,
  minutes: runner.maximum_timeout === null ? '' : String(Math.round(runner.maximum_timeout / 60)),
})

/** The form in the words of the API. */
export const sentOf = (form: RunnerForm) => ({
  description: form.description.trim(),
  tag_list: form.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  run_untagged: form.run_untagged,
  access_level: form.protected ? ('ref_protected' as const) : ('not_protected' as const),
  locked: form.locked,
  paused: form.paused,
  // Number fields return numbers.
  maximum_timeout: String(form.minutes).trim() === '' ? undefined : Number(form.minutes) * 60,
})
