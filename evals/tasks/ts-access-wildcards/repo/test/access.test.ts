import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowed, can, demand } from '../src/access.ts';

const user = (...roles: string[]) => ({ name: 'Kim', roles });

test('single permissions', () => {
  assert.equal(can(user('auditor'), 'invoices:read'), true);
  assert.equal(can(user('auditor'), 'invoices:delete'), false);
  assert.equal(can(user(), 'invoices:read'), false);
});

test('forbidden goes first', () => {
  assert.deepEqual(allowed(user('auditor', 'trainee'), ['reports:read', 'reports:export']), ['reports:read']);
});

test('demand', () => {
  assert.throws(() => demand(user('auditor'), 'invoices:delete'), /Kim may not invoices:delete/);
  assert.throws(() => demand(user('boss'), 'invoices:read'), /unknown role: boss/);
});

test('all actions on a resource', () => {
  assert.equal(can(user('accountant'), 'invoices:read'), true);
  assert.equal(can(user('accountant'), 'invoices:delete'), true);
  assert.equal(can(user('accountant'), 'reports:export'), false);
});

test('everything', () => {
  assert.equal(can(user('admin'), 'reports:export'), true);
});
