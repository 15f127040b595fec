import './lib/node.mjs'
import { check } from './lib/check.mjs'

process.exitCode = (await check()) ? 0 : 1
