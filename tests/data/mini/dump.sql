CREATE TABLE t (
  id int,
  note text
);
INSERT INTO t VALUES (1, 'it''s; CREATE TABLE x');
COPY t (id, note) FROM stdin;
0	note 0
1	note 1
2	note 2
3	note 3
4	note 4
5	note 5
6	note 6
7	note 7
8	note 8
9	note 9
10	note 10
11	note 11
12	note 12
13	note 13
14	note 14
15	note 15
16	note 16
17	note 17
18	note 18
19	note 19
20	note 20
21	note 21
22	note 22
23	note 23
24	note 24
25	note 25
26	note 26
27	note 27
28	note 28
29	note 29
30	note 30
31	note 31
32	note 32
33	note 33
34	note 34
35	note 35
36	note 36
37	note 37
38	note 38
39	note 39
\.
