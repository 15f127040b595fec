import { runRoles } from './run.ts'
import type { Section } from './section.ts'

runRoles(import.meta.glob<{ statements: Section }>('./roles/administration-*.ts', { eager: true }))
