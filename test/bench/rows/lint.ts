import { parse } from 'yaml'

import { compileConfig } from '../../../server/domains/ci_config/compile/compile.ts'
import type { Resolver } from '../../../server/domains/ci_config/includes/entry.ts'
import { inTurn, round, timed, type Result } from '../support/measure.ts'

const JOBS = 1000
const ROUNDS = 7
const GOAL = 5

/** Jobs like those of large repositories: bases, variables, rules, artifacts, caches, and matrices. */
function jobsOf(from: number, to: number): string {
  const lines: string[] = []
  for (let at = from; at < to; at++) {
    lines.push(`job-${at}:`, `  extends: [.base-${at % 20}, .rules]`, `  stage: stage-${at % 5}`)
    lines.push('  variables:', `    NAME: part-${at}`, `    COUNT: ${at}`)
    lines.push(
      '  script:',
      `    - make part-${at}`,
      '    - !reference [.base-0, script]',
      '    - echo "$NAME is done"',
    )
    if (at % 10 === 0)
      lines.push('  parallel:', '    matrix:', '      - SYSTEM: [linux, mac]', '        LEVEL: [1, 2]')
    if (at % 5 > 0) lines.push(`  needs: [job-${at - 1}]`)
    lines.push('  artifacts:', `    paths: [out/part-${at}]`, '    expire_in: 1 week')
  }
  return `${lines.join('\n')}\n`
}

function bases(): string {
  const rules =
    '.rules:\n  rules:\n    - if: $CI_COMMIT_BRANCH =~ /^main$/\n    - changes: ["src/**/*"]\n      when: manual\n'
  const each = (at: number) =>
    `.base-${at}:\n  script: [prepare ${at}]\n  image: {name: "image:${at}"}\n  cache: {key: "k${at}", paths: [c]}\n  tags: [t${at}]\n`
  return rules + Array.from({ length: 20 }, (_, at) => each(at)).join('')
}

/** Row 10: lint of 1,000 jobs with includes, extends and matrices against parsing the same text. */
export async function lintRows(): Promise<Result[]> {
  const files = new Map([
    ['bases.yml', bases()],
    ...Array.from({ length: 4 }, (_, at) => [`part-${at}.yml`, jobsOf(at * 200, at * 200 + 200)] as const),
  ])
  const main = `include: [${[...files.keys()].join(', ')}]\nstages: [stage-0, stage-1, stage-2, stage-3, stage-4]\n${jobsOf(800, JOBS)}`
  const resolver: Resolver = {
    read: (_, path) => Promise.resolve(files.get(path) ?? null),
    list: () => Promise.resolve([]),
    open: () => Promise.resolve('denied'),
    remote: () => Promise.resolve({ status: 404 }),
    exists: () => Promise.resolve(false),
  }
  const lint = async () => {
    const { errors, built, merged_yaml } = await compileConfig(main, resolver, {
      origin: { project: 'a/b', sha: 'c' },
    })
    if (errors.length > 0 || !built || !merged_yaml)
      throw new Error(`The configuration is wrong: ${errors[0]?.message}`)
  }
  const read = () => {
    for (const text of [main, ...files.values()]) parse(text, { logLevel: 'silent' })
  }
  const [own, plain] = await inTurn(
    ROUNDS,
    () => timed(lint),
    () => timed(read),
  )
  const ratio = own / plain
  return [
    {
      row: 10,
      work: 'lint of 1,000 jobs',
      baseline: `parse ${round(plain)} ms`,
      measured: `${round(own)} ms`,
      ratio,
      goal: `≤ ${GOAL} ×`,
      met: ratio <= GOAL,
    },
  ]
}
