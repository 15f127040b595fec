import { describe, expect, it } from 'vitest'

import { compileConfig } from '../../../server/domains/ci_config/compile/compile.ts'
import { noProject } from '../../../server/domains/ci_config/includes/entry.ts'
import { jobs } from './corpus/jobs.ts'
import { load } from './corpus/load.ts'
import { logic } from './corpus/logic.ts'
import { parts } from './corpus/parts.ts'
import { root } from './corpus/root.ts'

const resolver = {
  ...noProject,
  remote: async () => ({ status: 404 }) as const,
  template: async (name: string) => (name === 'Bash.gitlab-ci.yml' ? 'a: {script: x}' : null),
}
const titleOf = (yaml: string) => (yaml.length > 90 ? `${yaml.slice(0, 90)}…` : yaml).replaceAll('\n', ' ⏎ ')

describe.each(Object.entries({ load, root, jobs, parts, logic }))('the corpus: %s', (_, cases) => {
  it.each(cases.map((entry) => [titleOf(entry[0]), ...entry] as const))(
    '%s',
    async (_title, yaml, errors = [], warnings = []) => {
      const compiled = await compileConfig(yaml, resolver, { origin: null })
      expect(compiled.errors.map(({ message }) => message)).toEqual(errors)
      expect(compiled.warnings.map(({ message }) => message)).toEqual(warnings)
      expect(compiled.built === null).toBe(errors.length > 0)
    },
  )
})
