// Rewrites every generated file: those of the server (`*.gen.ts`), and docs/contract.md, which the contract tests
// print.
import './lib/node.mjs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './lib/node.mjs'

const run = (args, env = {}) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    .status ?? 1

process.exitCode =
  run([join(root, 'scripts/cli.mjs'), 'gen']) ||
  run(
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'node',
      'test/contract_lines/document.test.ts',
    ],
    {
      DESKFORGE_GEN: '1',
    },
  )
